import type { ComponentType } from "react";
import { Link } from "wouter";
import { PageFrame } from "../shell/page.js";
import { useMedia } from "../shell/preferences.js";
import { Chevron } from "../ui/icons.js";
import { useWords } from "../words/words.js";
import { AccountsSection } from "./accounts-section.js";
import { AppsSection } from "./apps-section.js";
import { AutonomousSwitch } from "./autonomous-switch.js";
import { DeveloperSection } from "./developer-section.js";
import { DisplaySection } from "./display-section.js";
import { GrantsSection } from "./grants-section.js";
import { NotificationsSection } from "./notifications-section.js";
import { PeopleSection } from "./people-section.js";
import { PrivacySection } from "./privacy-section.js";
import { SecuritySection } from "./security-section.js";

const SECTIONS = {
  apps: AppsSection,
  grants: GrantsSection,
  security: SecuritySection,
  people: PeopleSection,
  developer: DeveloperSection,
  privacy: PrivacySection,
  notifications: NotificationsSection,
  accounts: AccountsSection,
  display: DisplaySection,
} as const satisfies Record<string, ComponentType>;

type Section = keyof typeof SECTIONS;
const NAMES = Object.keys(SECTIONS) as Section[];

/** Autonomous Mode stands in the header; below it one section beside their list. On a phone the list comes first, each section is a page. */
export function SettingsPage({ section }: { readonly section?: string | undefined }) {
  const words = useWords().settings;
  const isDesk = useMedia("(min-width: 768px)");
  const named = NAMES.find((name) => name === section);
  const current = named ?? (isDesk ? "apps" : undefined);
  const Current = current === undefined ? undefined : SECTIONS[current];
  if (!isDesk && current !== undefined && Current !== undefined) {
    return (
      <PageFrame title={words.sections[current]} within={{ title: words.title, href: "/settings" }}>
        <Current />
      </PageFrame>
    );
  }
  return (
    <PageFrame title={words.title}>
      <AutonomousSwitch />
      <div className="mt-6 grid gap-6 md:grid-cols-[13rem_1fr] md:gap-10">
        <Sections current={current} />
        {current === undefined || Current === undefined ? null : (
          <section className="min-w-0 outline-none" aria-labelledby="section" tabIndex={-1}>
            <h2 id="section" className="mb-3 text-lg font-semibold">
              {words.sections[current]}
            </h2>
            <Current />
          </section>
        )}
      </div>
    </PageFrame>
  );
}

function Sections({ current }: { readonly current: Section | undefined }) {
  const words = useWords().settings;
  return (
    <nav aria-label={words.title}>
      <ul className="max-md:divide-y max-md:divide-line max-md:rounded-md max-md:border max-md:border-line max-md:bg-sheet md:grid md:gap-0.5">
        {NAMES.map((name) => (
          <li key={name}>
            {/* Not bolder when chosen: a wider name would wrap, and those below it would move. */}
            <Link
              href={`/settings/${name}`}
              aria-current={name === current ? "page" : undefined}
              className={`flex items-center justify-between rounded px-4 py-3 md:px-3 md:py-1.5 ${name === current ? "bg-wash text-accent shadow-[inset_3px_0_0_var(--accent)]" : "hover:bg-wash"}`}
            >
              {words.sections[name]}
              <span className="md:hidden">
                <Chevron />
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
