import { expectTypeOf, it } from "vitest";
import type { z } from "zod";
import type {
  AgentView,
  AuditPage,
  DeviceView,
  GrantSuggestion,
  GrantView,
  GroupView,
  HistoryPage,
  IssuedKey,
  KeyView,
  LinkView,
  ListedSession,
  LiveEvents,
  Me,
  MemberView,
  NewAgent,
  PasskeyView,
  PrivacyView,
  Problem,
  SettingsChange,
  SettingsView,
  Timeline,
  ToolView,
  UsageView,
  WorkspaceView,
} from "../../client/index.js";
import type { agentView, deviceView, issuedKey, keyView, newAgent, usage } from "./agents.js";
import type { historyPage } from "./approval.js";
import type { entryPage, timeline } from "./audit.js";
import type { problem } from "./common.js";
import type { liveEvents } from "./live-event.js";
import type { group, link, listedSession, me, member, passkeyView } from "./people.js";
import type { grantSuggestion, grantView, settings, settingsPatch, toolView } from "./standing.js";
import type { privacyView, workspaceView } from "./workspace.js";

/** The same, whatever is a list for reading only or is spread over several types. */
type Flat<T> = T extends readonly (infer Item)[]
  ? readonly Flat<Item>[]
  : T extends object
    ? { readonly [K in keyof T]: Flat<Exclude<T[K], undefined>> }
    : T;
type Form<Schema extends z.ZodType> = Flat<z.output<Schema>>;
/** Fields of one that the other has not, or has as something else. */
type Odd<A, B> = { [K in keyof A]-?: K extends keyof B ? ([A[K]] extends [B[K]] ? never : K) : K }[keyof A];
/** Never, unless the form that the server validates with and the one that the client tells of say different things. */
type Differs<Schema extends z.ZodType, Told> = Odd<Form<Schema>, Flat<Told>> | Odd<Flat<Told>, Form<Schema>>;

it("are one: what the client says of an answer is what the server validates it with", () => {
  expectTypeOf<Differs<typeof agentView, AgentView>>().toEqualTypeOf<never>();
  expectTypeOf<Differs<typeof newAgent, NewAgent>>().toEqualTypeOf<never>();
  expectTypeOf<Differs<typeof issuedKey, IssuedKey>>().toEqualTypeOf<never>();
  expectTypeOf<Differs<typeof keyView, KeyView>>().toEqualTypeOf<never>();
  expectTypeOf<Differs<typeof usage, UsageView>>().toEqualTypeOf<never>();
  expectTypeOf<Differs<typeof deviceView, DeviceView>>().toEqualTypeOf<never>();
  expectTypeOf<Differs<typeof me, Me>>().toEqualTypeOf<never>();
  expectTypeOf<Differs<typeof listedSession, ListedSession>>().toEqualTypeOf<never>();
  expectTypeOf<Differs<typeof passkeyView, PasskeyView>>().toEqualTypeOf<never>();
  expectTypeOf<Differs<typeof member, MemberView>>().toEqualTypeOf<never>();
  expectTypeOf<Differs<typeof group, GroupView>>().toEqualTypeOf<never>();
  expectTypeOf<Differs<typeof link, LinkView>>().toEqualTypeOf<never>();
  expectTypeOf<Differs<typeof grantView, GrantView>>().toEqualTypeOf<never>();
  expectTypeOf<Differs<typeof grantSuggestion, GrantSuggestion>>().toEqualTypeOf<never>();
  expectTypeOf<Differs<typeof settings, SettingsView>>().toEqualTypeOf<never>();
  expectTypeOf<Differs<typeof settingsPatch, SettingsChange>>().toEqualTypeOf<never>();
  expectTypeOf<Differs<typeof toolView, ToolView>>().toEqualTypeOf<never>();
  expectTypeOf<Differs<typeof workspaceView, WorkspaceView>>().toEqualTypeOf<never>();
  expectTypeOf<Differs<typeof privacyView, PrivacyView>>().toEqualTypeOf<never>();
  expectTypeOf<Differs<typeof entryPage, AuditPage>>().toEqualTypeOf<never>();
  expectTypeOf<Differs<typeof timeline, Timeline>>().toEqualTypeOf<never>();
  expectTypeOf<Differs<typeof liveEvents, LiveEvents>>().toEqualTypeOf<never>();
  expectTypeOf<
    Differs<typeof problem, Omit<Problem, "code"> & { readonly code: z.output<typeof problem>["code"] }>
  >().toEqualTypeOf<never>();
  // The card inside is looser on the wire than where it is drawn.
  expectTypeOf<keyof Form<typeof historyPage>>().toEqualTypeOf<keyof HistoryPage>();
  expectTypeOf<keyof HistoryPage["items"][number]>().toEqualTypeOf<keyof Form<typeof historyPage>["items"][number]>();
});
