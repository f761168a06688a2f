import { z } from "zod";
import { PRIORITIES } from "../household/todos.js";

/** One line of text that a person reads as a name. */
export const title = z.string().trim().min(1).max(500);
export const priority = z.enum(PRIORITIES);
/** A day, or an instant. */
export const dueAt = z.union([z.iso.date(), z.iso.datetime({ offset: true })]);
export const id = z.string().min(1).max(100);
export const oneId = z.object({ id }).strict();
