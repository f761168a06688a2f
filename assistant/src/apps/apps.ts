import { join } from "node:path";
import type { AnyTool } from "countersign";
import type { Data } from "../data/data.js";
import type { DataPolicy } from "../data/policy.js";
import { PostgresData } from "../data/postgres-data.js";
import { SqliteData } from "../data/sqlite-data.js";
import { Calendar } from "../household/calendar.js";
import type { Household } from "../household/household.js";
import { NamedThings } from "../household/named.js";
import { Notes } from "../household/notes.js";
import { Todos } from "../household/todos.js";
import { localOutbox, type Outbox, smtpOutbox } from "../mail/mail.js";
import type { Members } from "../people.js";
import { calendarTools } from "./calendar.js";
import { dataTools } from "./data.js";
import { emailTools } from "./email.js";
import { fileTools } from "./files.js";
import { listCommands } from "./lists.js";
import { noteFolderCommands } from "./note-folders.js";
import { noteCommands } from "./notes.js";
import { taskTools } from "./tasks.js";
import { todoCommands } from "./todos.js";
import { type WebProviders, webTools } from "./web.js";

export interface AppOptions {
  /** Where files, mail and the queried database live. */
  readonly folder: string;
  readonly members: Members;
  readonly mail?: {
    readonly from?: string;
    /** `smtp://` or `smtps://`. Without one mail stays here, as .eml files in `mail/outbox`. */
    readonly smtpUrl?: string;
  };
  readonly web?: WebProviders;
  readonly data?: DataPolicy & {
    /** The database that may be queried and changed: a SQLite file, `data.db` in the folder unless given, … */
    readonly path?: string;
    /** … or `postgres://…`. */
    readonly url?: string;
  };
}

/** Everything the assistant keeps, and the tools over it. */
export interface Apps {
  readonly household: Household;
  readonly todos: Todos;
  readonly lists: NamedThings;
  readonly notes: Notes;
  readonly folders: NamedThings;
  readonly calendar: Calendar;
  readonly members: Members;
  readonly tools: readonly AnyTool[];
  close(): Promise<void>;
}

export function createApps(household: Household, options: AppOptions): Apps {
  const todos = new Todos(household);
  const lists = new NamedThings(household, "todo_list", "list");
  const notes = new Notes(household);
  const folders = new NamedThings(household, "note_folder", "folder");
  const calendar = new Calendar(household);
  const data = dataOf(options);
  const { members } = options;
  return {
    household,
    todos,
    lists,
    notes,
    folders,
    calendar,
    members,
    tools: [
      ...taskTools(household, todos, members),
      ...todoCommands(household, todos),
      ...listCommands(household, lists, todos),
      ...noteCommands(household, notes, folders),
      ...noteFolderCommands(household, folders, notes),
      ...calendarTools(household, calendar),
      ...emailTools(outboxOf(options), { inbox: join(options.folder, "mail", "inbox") }),
      ...fileTools(join(options.folder, "files")),
      ...webTools(options.web ?? {}),
      ...dataTools(household, data, options.data),
    ],
    close: () => data.close(),
  };
}

function dataOf({ folder, data = {} }: AppOptions): Data {
  return data.url === undefined ? new SqliteData(data.path ?? join(folder, "data.db")) : new PostgresData(data.url);
}

function outboxOf({ folder, mail }: AppOptions): Outbox {
  const from = mail?.from ?? "Household assistant <assistant@localhost>";
  if (mail?.smtpUrl === undefined) return localOutbox({ from, folder: join(folder, "mail", "outbox") });
  return smtpOutbox({ from, folder: join(folder, "mail", "sent"), url: mail.smtpUrl });
}
