import { type AnyTool, defineTool, type Locale } from "countersign";
import { z } from "zod";
import { type Calendar, recurrenceProblem } from "../household/calendar.js";
import type { Household } from "../household/household.js";
import { labelsOf } from "./labels.js";
import { dueAt, id, title } from "./schemas.js";
import { digestOf, stored } from "./stored.js";
import { dueText } from "./tasks.js";

const event = z
  .object({
    summary: title,
    start: dueAt,
    end: dueAt,
    location: z.string().max(500).optional(),
    attendees: z.array(z.email()).max(100).default([]),
    recurrence: z
      .string()
      .max(200)
      .refine((rule) => recurrenceProblem(rule) === undefined, "is not a recurrence rule such as FREQ=WEEKLY")
      .optional(),
  })
  .strict()
  .refine(({ start, end }) => Date.parse(end) >= Date.parse(start), "ends before it starts");
const range = z.object({ from: dueAt, to: dueAt }).strict();
const one = z.object({ eventId: id }).strict();
const NOUN = { en: "event", zh: "日程" };

export function calendarTools(household: Household, calendar: Calendar): readonly AnyTool[] {
  return [
    defineTool({
      name: "calendar.list",
      title: { en: "Look at the calendar", zh: "查看日历" },
      effect: "read",
      confirm: false,
      inputSchema: range,
      execute: ({ from, to }, { workspaceId }) => ({ events: calendar.between(workspaceId, from, to) }),
    }),
    defineTool({
      name: "calendar.export",
      title: { en: "Export the calendar", zh: "导出日历" },
      effect: "read",
      inputSchema: z.object({}).strict(),
      execute: (_args, { workspaceId }) => ({ ics: calendar.export(workspaceId) }),
    }),
    defineTool({
      name: "calendar.create",
      title: { en: "Create an event", zh: "新建日程" },
      effect: "write",
      riskTier: "R2",
      confirm: true,
      actionType: "create_calendar_event",
      inputSchema: event,
      labels: labelsOf(event),
      confirmPrompt: (args: z.infer<typeof event>, locale: Locale) => describe(args, locale),
      // Whom it meets at that time is what a person would look up first.
      preview: ({ summary, start, end }, { workspaceId }) => {
        const others = calendar.between(workspaceId, start, end);
        return {
          effects: [{ kind: "create", noun: NOUN, count: 1, sample: [summary] }],
          ...(others.length === 0
            ? {}
            : {
                warnings: [
                  {
                    code: "OVERLAP",
                    message: `It overlaps with ${others.length} other event(s).`,
                    severity: "warning" as const,
                  },
                ],
              }),
        };
      },
      rollback: {
        note: { en: "The event can be deleted again.", zh: "日程之后可以删除。" },
        call: (_args, result) => ({
          tool: "calendar.delete",
          args: { eventId: (result as unknown as { event: { id: string } }).event.id },
        }),
      },
      ...stored(household, (args: z.infer<typeof event>, { workspaceId, userId }) => ({
        event: calendar.create(workspaceId, userId, args),
      })),
    }),
    defineTool({
      name: "calendar.delete",
      title: { en: "Delete an event", zh: "删除日程" },
      effect: "write",
      destructive: true,
      inputSchema: one,
      labels: labelsOf(one),
      confirmPrompt: { en: "This event will be permanently deleted.", zh: "此日程将被永久删除。" },
      preview: ({ eventId }, { workspaceId }) => {
        const found = calendar.get(workspaceId, eventId);
        return {
          effects: [{ kind: "delete", noun: NOUN, count: 1, sample: [found.summary] }],
          digest: digestOf(eventId, found.revision),
        };
      },
      ...stored(household, ({ eventId }: z.infer<typeof one>, { workspaceId }) => ({
        event: calendar.delete(workspaceId, eventId),
      })),
    }),
  ];
}

/** Everything that goes out with it, attendees, place and repetition among it. */
function describe({ summary, start, location, attendees, recurrence }: z.infer<typeof event>, locale: Locale): string {
  const zh = locale === "zh";
  const parts = [
    zh ? `将创建日程：“${summary}”，${dueText(start)}` : `I'll create an event: "${summary}" at ${dueText(start)}`,
  ];
  if (location !== undefined) parts.push(zh ? `地点“${location}”` : `in "${location}"`);
  if (attendees.length > 0) parts.push(zh ? `邀请 ${attendees.join("、 ")}` : `inviting ${attendees.join(" and ")}`);
  if (recurrence !== undefined) parts.push(zh ? `重复“${recurrence}”` : `repeating "${recurrence}"`);
  return `${parts.join(zh ? "，" : ", ")}${zh ? "。" : "."}`;
}
