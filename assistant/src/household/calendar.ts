import ICAL from "ical.js";
import { type Household, newId } from "./household.js";

export interface CalendarEvent {
  readonly id: string;
  readonly summary: string;
  /** ISO 8601: a day for whole-day events, else an instant. */
  readonly start: string;
  readonly end: string;
  readonly location?: string;
  readonly attendees: readonly string[];
  readonly recurrence?: string;
}

export type NewEvent = Omit<CalendarEvent, "id" | "attendees" | "location" | "recurrence"> & {
  readonly attendees?: readonly string[] | undefined;
  readonly location?: string | undefined;
  readonly recurrence?: string | undefined;
};

interface Row {
  readonly id: string;
  readonly ics: string;
  readonly revision: number;
}

/** An event that repeats for ever is looked at no further than this. */
const MOST_OCCURRENCES = 1_000;

/** Events as iCalendar (RFC 5545), one VEVENT each: any calendar program can read what is kept here. */
export class Calendar {
  readonly #household: Household;

  constructor(household: Household) {
    this.#household = household;
  }

  /** Every occurrence that touches the time between, in order; repeated events once for each time. */
  between(workspaceId: string, from: string, to: string): CalendarEvent[] {
    const range = { from: Date.parse(from), to: Date.parse(to) };
    return this.#rows(workspaceId)
      .flatMap((row) => occurrences(row, range))
      .sort((a, b) => a.start.localeCompare(b.start));
  }

  get(workspaceId: string, id: string): CalendarEvent & { readonly revision: number } {
    const row = this.#rows(workspaceId).find((each) => each.id === id);
    if (row === undefined) throw new Error(`There is no event ${JSON.stringify(id)}.`);
    return { ...eventOf(row), revision: row.revision };
  }

  create(workspaceId: string, userId: string, event: NewEvent): CalendarEvent {
    const id = newId("event");
    const ics = toIcs(id, event, this.#household.now());
    this.#household.run(
      "INSERT INTO event (id, workspace_id, ics, created_by) VALUES (?, ?, ?, ?)",
      id,
      workspaceId,
      ics,
      userId,
    );
    return eventOf({ id, ics, revision: 1 });
  }

  delete(workspaceId: string, id: string): CalendarEvent {
    const event = this.get(workspaceId, id);
    this.#household.run("DELETE FROM event WHERE workspace_id = ? AND id = ?", workspaceId, id);
    return event;
  }

  /** The whole calendar as one .ics file. */
  export(workspaceId: string): string {
    const calendar = emptyCalendar();
    for (const { ics } of this.#rows(workspaceId)) calendar.addSubcomponent(componentOf(ics));
    return calendar.toString();
  }

  #rows(workspaceId: string): Row[] {
    return this.#household.all<Row>(
      "SELECT id, ics, revision FROM event WHERE workspace_id = ? ORDER BY id",
      workspaceId,
    );
  }
}

function emptyCalendar(): ICAL.Component {
  const calendar = new ICAL.Component("vcalendar");
  calendar.updatePropertyWithValue("version", "2.0");
  calendar.updatePropertyWithValue("prodid", "-//Countersign//Household assistant//EN");
  return calendar;
}

function toIcs(
  id: string,
  { summary, start, end, location, attendees = [], recurrence }: NewEvent,
  now: string,
): string {
  const event = new ICAL.Component("vevent");
  event.updatePropertyWithValue("uid", `${id}@countersign`);
  event.updatePropertyWithValue("dtstamp", timeOf(now));
  event.updatePropertyWithValue("summary", summary);
  event.updatePropertyWithValue("dtstart", timeOf(start));
  event.updatePropertyWithValue("dtend", timeOf(end));
  if (location !== undefined) event.updatePropertyWithValue("location", location);
  if (recurrence !== undefined) event.updatePropertyWithValue("rrule", ICAL.Recur.fromString(recurrence));
  for (const attendee of attendees) event.addPropertyWithValue("attendee", `mailto:${attendee}`);
  return event.toString();
}

function timeOf(text: string): ICAL.Time {
  return text.length === 10 ? ICAL.Time.fromDateString(text) : ICAL.Time.fromJSDate(new Date(text), true);
}

function componentOf(ics: string): ICAL.Component {
  return new ICAL.Component(ICAL.parse(ics) as unknown[]);
}

function textOf(time: ICAL.Time): string {
  return time.isDate ? time.toString() : time.toJSDate().toISOString();
}

function eventOf({ id, ics }: Row): CalendarEvent {
  const component = componentOf(ics);
  const event = new ICAL.Event(component);
  const recurrence = component.getFirstPropertyValue("rrule");
  return {
    id,
    summary: event.summary,
    start: textOf(event.startDate),
    end: textOf(event.endDate),
    ...(event.location ? { location: event.location } : {}),
    attendees: component
      .getAllProperties("attendee")
      .map((each) => String(each.getFirstValue()).replace(/^mailto:/, "")),
    ...(recurrence === null ? {} : { recurrence: String(recurrence) }),
  };
}

function occurrences(row: Row, { from, to }: { readonly from: number; readonly to: number }): CalendarEvent[] {
  const shown = eventOf(row);
  const event = new ICAL.Event(componentOf(row.ics));
  const length = event.endDate.toJSDate().getTime() - event.startDate.toJSDate().getTime();
  const touches = (start: ICAL.Time): boolean => {
    const at = start.toJSDate().getTime();
    return at < to && at + length > from;
  };
  if (!event.isRecurring()) return touches(event.startDate) ? [shown] : [];
  const found: CalendarEvent[] = [];
  const iterator = event.iterator();
  for (let count = 0; count < MOST_OCCURRENCES; count++) {
    const start = iterator.next();
    if (!start || start.toJSDate().getTime() >= to) break;
    if (!touches(start)) continue;
    const end = start.clone();
    end.addDuration(event.duration);
    found.push({ ...shown, start: textOf(start), end: textOf(end) });
  }
  return found;
}

/** Undefined when it is a rule of RFC 5545, else what is wrong with it. */
export function recurrenceProblem(rule: string): string | undefined {
  try {
    ICAL.Recur.fromString(rule);
    return /^FREQ=/i.test(rule) ? undefined : "A recurrence begins with FREQ=.";
  } catch (error) {
    return (error as Error).message;
  }
}
