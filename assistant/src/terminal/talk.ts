import { escapeText, type Locale, type Person } from "countersign";
import { confirmAtTerminal } from "countersign/terminal";
import type { Assistant } from "../assistant.js";
import { ChatError, type ChatResponse, type PendingActionInfo } from "../chat/request.js";
import type { NextLine } from "./lines.js";
import { TERMINAL_WORDS } from "./words.js";

export interface TalkOptions {
  readonly assistant: Assistant;
  readonly person: Person;
  readonly conversationId: string;
  readonly locale: Locale;
  readonly next: NextLine;
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  readonly isTTY: boolean;
  readonly width: number;
  readonly colour: boolean;
}

const QUIT = /^\/?(?:quit|exit|bye|退出|再见)$/i;

/** Talks until the person ends it. What has to be asked is shown as its whole card and answered here. */
export async function talk(options: TalkOptions): Promise<void> {
  const words = TERMINAL_WORDS[options.locale];
  tell(options, words.hello.join("\n"));
  for (;;) {
    const line = await options.next(words.you);
    if (line === undefined || QUIT.test(line.trim())) break;
    if (line.trim() === "") continue;
    await exchange(options, line);
  }
  tell(options, words.bye);
}

async function exchange(options: TalkOptions, message: string): Promise<void> {
  const response = await send(options, { message });
  if (response === undefined) return;
  const all = response.payload?.["pendingActions"] as unknown as readonly PendingActionInfo[] | undefined;
  const first = response.pendingAction === undefined ? [] : [response.pendingAction];
  for (const { token } of all ?? first) await ask(options, token);
}

/** The card and the question; the answer goes back through the chat, like that of any other client. */
async function ask(options: TalkOptions, confirmationToken: string): Promise<void> {
  const { assistant, person, locale } = options;
  const card = await assistant.card(confirmationToken, person, locale);
  if (card === undefined) return;
  const { type } = await confirmAtTerminal(card, options);
  await send(options, { confirmationToken, confirmed: type === "approve" });
}

async function send(options: TalkOptions, request: object): Promise<ChatResponse | undefined> {
  const { assistant, person, conversationId } = options;
  try {
    const response = await assistant.chat({ conversationId, ...request }, person);
    tell(options, response.text);
    return response;
  } catch (error) {
    if (!(error instanceof ChatError)) throw error;
    tell(options, TERMINAL_WORDS[options.locale].notValid);
    return undefined;
  }
}

/** Mail, pages and files are other people's words: no sequence in them may reach the terminal. */
function tell({ output }: TalkOptions, text: string): void {
  output.write(
    `${text
      .split("\n")
      .map((line) => escapeText(line))
      .join("\n")}\n\n`,
  );
}
