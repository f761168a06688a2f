import { lazy, Suspense } from "react";
import { Link, Route, Switch } from "wouter";
import { InboxPage } from "./inbox/inbox-page.js";
import { InboxProvider } from "./inbox/inbox-provider.js";
import { Nothing } from "./shell/nothing.js";
import { SessionProvider } from "./shell/session.js";
import { Shell } from "./shell/shell.js";
import { useHasAssistant } from "./shell/use-assistant.js";
import { CliPage } from "./sign-in/cli-page.js";
import { JoinPage } from "./sign-in/join-page.js";
import { SignInPage } from "./sign-in/sign-in-page.js";
import { StartPage } from "./sign-in/start-page.js";
import { useWords } from "./words/words.js";

// What people open now and then is loaded then.
const HistoryPage = lazy(() => import("./history/history-page.js").then((page) => ({ default: page.HistoryPage })));
const AuditPage = lazy(() => import("./history/audit-page.js").then((page) => ({ default: page.AuditPage })));
const SettingsPage = lazy(() => import("./settings/settings-page.js").then((page) => ({ default: page.SettingsPage })));
const ChatPage = lazy(() => import("./chat/chat-page.js").then((page) => ({ default: page.ChatPage })));

/** One route for list, card and group: whatever is chosen, filters and the place in the list stay. */
const INBOX = /^\/(?:(?<kind>approvals|group)\/(?<id>[^/]+)(?:\/(?<full>full))?)?$/;

function shownIn({ kind, id, full }: { readonly [name: string]: string | undefined }) {
  if (id === undefined) return {};
  return kind === "group" ? { group: id } : { selected: id, full: full !== undefined };
}

export function App() {
  return (
    <Switch>
      <Route path="/start">
        <StartPage />
      </Route>
      <Route path="/join">
        <JoinPage />
      </Route>
      <Route path="/sign-in">
        <SignInPage />
      </Route>
      <Route>
        <SessionProvider>
          <InboxProvider>
            <Shell>
              <Pages />
            </Shell>
          </InboxProvider>
        </SessionProvider>
      </Route>
    </Switch>
  );
}

function Pages() {
  const words = useWords();
  const hasAssistant = useHasAssistant();
  return (
    <Suspense fallback={<p className="p-8 text-muted">{words.common.loading}</p>}>
      <Switch>
        <Route path={INBOX}>{(params) => <InboxPage {...shownIn(params)} />}</Route>
        <Route path="/history">
          <HistoryPage />
        </Route>
        <Route path="/audit/:id">{({ id }) => <AuditPage approvalId={id} />}</Route>
        <Route path="/settings/:section?">{({ section }) => <SettingsPage section={section} />}</Route>
        {hasAssistant === false ? null : (
          <Route path="/chat">
            <ChatPage />
          </Route>
        )}
        <Route path="/cli/:code?">{({ code }) => <CliPage code={code} />}</Route>
        <Route>
          <Nothing text={words.common.notFound} isTitle>
            <Link href="/" className="text-accent underline">
              {words.common.toInbox}
            </Link>
          </Nothing>
        </Route>
      </Switch>
    </Suspense>
  );
}
