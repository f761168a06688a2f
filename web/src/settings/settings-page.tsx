import type { ComponentType } from "react";
import { Link } from "wouter";
import { PageFrame } from "../shell/page.js";
import { useWords } from "../words/words.js";
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
  display: DisplaySection,
} as const satisfies Record<string, ComponentType>;

type Section = keyof typeof SECTIONS;
const NAMES = Object.keys(SECTIONS) as Section[];

/** Autonomous Mode stands in the header of all settings; below it one section at a time. */
export function SettingsPage({ section }: { readonly section?: string | undefined }) {
  const words = useWords().settings;
  const current = NAMES.find((name) => name === section) ?? "apps";
  const Current = SECTIONS[current];
  return (
    <PageFrame title={words.title}>
      <AutonomousSwitch />
      <div className="mt-6 grid gap-6 md:grid-cols-[12rem_1fr]">
        <nav aria-label={words.title}>
          <ul className="flex flex-wrap gap-1 md:flex-col">
            {NAMES.map((name) => (
              <li key={name}>
                <Link
                  href={`/settings/${name}`}
                  aria-current={name === current ? "page" : undefined}
                  className={`block rounded px-3 py-2 text-sm ${name === current ? "bg-wash font-semibold text-accent" : "hover:bg-wash"}`}
                >
                  {words.sections[name]}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
        <section className="min-w-0" aria-labelledby="section">
          <h2 id="section" className="mb-3 text-lg font-semibold">
            {words.sections[current]}
          </h2>
          <Current />
        </section>
      </div>
    </PageFrame>
  );
}
