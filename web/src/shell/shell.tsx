import type { ReactNode } from "react";
import { Link, useLocation } from "wouter";
import { useInbox } from "../inbox/inbox-provider.js";
import { useFocusKept } from "../ui/focus-kept.js";
import { ChatIcon, HistoryIcon, InboxIcon, SettingsIcon } from "../ui/icons.js";
import { useWords } from "../words/words.js";
import { AutonomousBanner } from "./autonomous-banner.js";
import { Mark } from "./mark.js";
import { Standing } from "./standing.js";
import { useHasAssistant } from "./use-assistant.js";

/** Rail beside the page on a desk; a bar below it on a phone, which makes room while a single card is open. */
export function Shell({ children }: { readonly children: ReactNode }) {
  const words = useWords();
  const [path] = useLocation();
  const isCard = /^\/(approvals|group)\//.test(path);
  const { connection } = useInbox();
  useFocusKept();
  return (
    <div className="flex h-dvh flex-col">
      <a
        href="#content"
        className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:bg-accent focus:p-2 focus:text-on-accent"
      >
        {words.common.skip}
      </a>
      <AutonomousBanner />
      {connection === "offline" ? (
        <p role="status" className="border-b border-edge bg-wash px-4 py-2 text-center text-sm font-medium">
          {words.common.offline}
        </p>
      ) : null}
      <div className="flex min-h-0 flex-1 flex-col-reverse md:flex-row">
        <Rail hiddenOnPhone={isCard} />
        <main id="content" tabIndex={-1} className="min-h-0 min-w-0 flex-1 outline-none">
          {children}
        </main>
      </div>
    </div>
  );
}

function Rail({ hiddenOnPhone }: { readonly hiddenOnPhone: boolean }) {
  const words = useWords();
  const hasAssistant = useHasAssistant();
  const { state } = useInbox();
  const waiting = [...state.items.values()].filter((item) => item.state === "pending").length;
  return (
    <div
      className={`border-line bg-wash pb-[env(safe-area-inset-bottom)] max-md:border-t md:flex md:w-[200px] md:shrink-0 md:flex-col md:border-r ${hiddenOnPhone ? "max-md:hidden" : ""}`}
    >
      <header className="hidden items-center gap-2 px-4 py-5 md:flex">
        <Mark />
        <span className="font-semibold">{words.product}</span>
      </header>
      <nav aria-label={words.common.navigation}>
        <ul className="flex justify-around md:flex-col md:gap-0.5 md:px-2">
          <RailLink
            to="/"
            icon={<InboxIcon />}
            label={words.nav.inbox}
            also={/^\/(approvals|group)\//}
            count={waiting}
          />
          {hasAssistant ? <RailLink to="/chat" icon={<ChatIcon />} label={words.nav.chat} /> : null}
          <RailLink to="/history" icon={<HistoryIcon />} label={words.nav.history} also={/^\/audit\//} />
          <RailLink to="/settings" icon={<SettingsIcon />} label={words.nav.settings} also={/^\/settings/} />
        </ul>
      </nav>
      <div className="mt-auto hidden px-4 py-4 md:block">
        <Standing />
      </div>
    </div>
  );
}

interface RailLinkProps {
  readonly to: string;
  readonly icon: ReactNode;
  readonly label: string;
  readonly also?: RegExp;
  readonly count?: number;
}

function RailLink({ to, icon, label, also, count = 0 }: RailLinkProps) {
  const words = useWords();
  const [path] = useLocation();
  const current = path === to || also?.test(path) === true;
  return (
    <li className="max-md:flex-1">
      <Link
        href={to}
        aria-current={current ? "page" : undefined}
        className={`relative flex items-center gap-2.5 rounded px-3 py-2 max-md:flex-col max-md:gap-0.5 max-md:text-xs ${current ? "font-semibold text-accent md:bg-sheet" : "text-ink md:hover:bg-sheet"}`}
      >
        {icon}
        {label}
        {count === 0 ? null : (
          <span className="rounded-full bg-accent px-2 text-xs leading-5 font-semibold text-on-accent max-md:absolute max-md:top-1 max-md:left-[calc(50%+6px)] max-md:px-1.5 max-md:leading-4 md:ml-auto">
            <span aria-hidden="true">{count}</span>
            <span className="sr-only">{words.nav.waiting(count)}</span>
          </span>
        )}
      </Link>
    </li>
  );
}
