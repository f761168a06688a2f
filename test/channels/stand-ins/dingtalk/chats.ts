import type { SeenMessage } from "../../stand-in.js";
import { cardMarkup, plainMarkup } from "./markup.js";

/** An answer of DingTalk's that is no success. */
export class Refused extends Error {
  constructor(
    readonly code: string,
    readonly status = 400,
  ) {
    super(code);
  }
}

type Params = Readonly<Record<string, string>>;

interface Posted {
  readonly id: string;
  readonly chatId: string;
  readonly msgKey: string;
  readonly params: Params;
}

export interface Card {
  readonly id: string;
  readonly chatId: string;
  readonly carrierId: string;
  variables: Params;
  /** What its buttons carried, by their labels, now and before: a client may show an old card for a while. */
  readonly values: Map<string, string>;
}

/** What a robot's kinds of messages must have, and may have. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  sampleText: ["content"],
  sampleActionCard: ["title", "text", "singleTitle", "singleURL"],
  sampleActionCard2: ["title", "text", "actionTitle1", "actionURL1", "actionTitle2", "actionURL2"],
  sampleActionCard3: [
    ...["title", "text", "actionTitle1", "actionURL1", "actionTitle2", "actionURL2"],
    ...["actionTitle3", "actionURL3"],
  ],
};

const TEXTS = Array.from({ length: 12 }, (_, index) => `text${index + 1}`);
const ANSWERS = ["approve", "deny"] as const;
/** The variables of the template, as docs/channels/dingtalk.md has them. */
const PUBLIC = [
  "heading",
  ...TEXTS,
  "closing",
  ...ANSWERS.flatMap((kind) => [`${kind}Shown`, `${kind}Label`, `${kind}Value`]),
  ...["openShown", "openLabel", "openUrl"],
];

/** What stands in the chats, and what DingTalk lets in there. */
export class Chats {
  private readonly posted: (Posted | Card)[] = [];
  private count = 0;

  constructor(
    private readonly known: readonly string[],
    private readonly faults: string[],
  ) {}

  post(chatId: string, msgKey: string, msgParam: unknown): string {
    if (typeof msgParam !== "string") return this.refuse("invalidParameter.msgParam.invalid");
    if (Buffer.byteLength(msgParam) > 15_000) return this.refuse("invalidParameter.msgParam.tooLong");
    const names = KINDS[msgKey];
    if (names === undefined) return this.refuse("invalidParameter.msgKey.invalid");
    const params = JSON.parse(msgParam) as Params;
    const right = Object.keys(params).toSorted().join() === names.toSorted().join();
    if (!right || Object.values(params).some((value) => typeof value !== "string" || value === "")) {
      return this.refuse("invalidParameter.msgParam.invalid");
    }
    const id = `key${++this.count}=`;
    this.posted.push({ id, chatId, msgKey, params });
    return id;
  }

  create(id: string, chatId: string, variables: unknown): Card {
    if (!this.known.includes(chatId)) throw new Refused("param.openSpaceIdInvalid");
    if (this.card(id) !== undefined) throw new Refused("param.cardAlreadyExist");
    const card = { id, chatId, carrierId: `carrier${++this.count}=`, variables: {}, values: new Map<string, string>() };
    this.posted.push(card);
    this.update(id, variables);
    return card;
  }

  update(id: string, variables: unknown): void {
    const card = this.card(id);
    if (card === undefined) throw new Refused("param.cardNotExist");
    card.variables = { ...card.variables, ...this.checked(variables, PUBLIC) };
    for (const kind of ANSWERS) {
      const { [`${kind}Label`]: label = "", [`${kind}Value`]: value = "" } = card.variables;
      if (label !== "") card.values.set(label, value);
    }
  }

  checked(variables: unknown, names: readonly string[] = PUBLIC): Params {
    for (const [name, value] of Object.entries((variables ?? {}) as Params)) {
      if (!names.includes(name)) this.refuse(`unknown variable ${name}`);
      if (typeof value !== "string") this.refuse(`variable ${name} is no string`);
      if (Buffer.byteLength(value) > 1024) this.refuse(`variable ${name} has more than 1 KB`);
    }
    return (variables ?? {}) as Params;
  }

  card(id: string): Card | undefined {
    return this.posted.find((entry): entry is Card => entry.id === id && "variables" in entry);
  }

  /** The link that a button of this message has, or one of the messages below it. */
  pressable(messageId: string, label: string): { readonly url: string; readonly chatId: string } | undefined {
    const from = this.posted.findIndex(({ id }) => id === messageId);
    const chatId = this.posted[from]?.chatId;
    for (const entry of from === -1 ? [] : this.posted.slice(from)) {
      if (entry.chatId !== chatId || "variables" in entry) continue;
      const url = buttonsOf(entry).find(([title]) => title === label)?.[1];
      if (url !== undefined) return { url, chatId };
    }
    return undefined;
  }

  seen(chatId: string): readonly SeenMessage[] {
    const seen: SeenMessage[] = [];
    for (const entry of this.posted) {
      if (entry.chatId !== chatId) continue;
      const message = "variables" in entry ? seenCard(entry) : seenMessage(entry);
      const above = seen.at(-1);
      // Buttons right under a text are seen as its own.
      if (
        "msgKey" in entry &&
        entry.msgKey !== "sampleText" &&
        above?.buttons.length === 0 &&
        above.links.length === 0
      ) {
        seen[seen.length - 1] = {
          id: above.id,
          text: `${above.text}\n${message.text}`,
          buttons: message.buttons,
          links: message.links,
          markup: [...above.markup, ...message.markup],
        };
      } else {
        seen.push(message);
      }
    }
    return seen;
  }

  /** Every message of the chat by its id, buttons apart from their text. */
  ids(chatId: string): readonly string[] {
    return this.posted.filter((entry) => entry.chatId === chatId).map(({ id }) => id);
  }

  private refuse(fault: string): never {
    this.faults.push(fault);
    throw new Refused(fault.startsWith("invalid") ? fault : "param.invalid");
  }
}

function buttonsOf({ params }: Posted): readonly (readonly [label: string, url: string])[] {
  const single: readonly (readonly [string, string])[] =
    params.singleTitle === undefined ? [] : [[params.singleTitle, params.singleURL ?? ""]];
  const numbered = [1, 2, 3].flatMap((n) => {
    const title = params[`actionTitle${n}`];
    return title === undefined ? [] : [[title, params[`actionURL${n}`] ?? ""] as const];
  });
  return [...single, ...numbered];
}

function seenMessage(posted: Posted): SeenMessage {
  const { id, msgKey, params } = posted;
  if (msgKey === "sampleText") {
    const { content = "" } = params;
    return { id, text: visible(content), buttons: [], links: [], markup: plainMarkup(content) };
  }
  const buttons = buttonsOf(posted);
  const { text = "" } = params;
  return {
    id,
    text: [text, ...buttons.map(([label]) => label)].join("\n"),
    buttons: buttons.filter(([, url]) => url.startsWith("dtmd:")).map(([label]) => label),
    links: buttons.flatMap(([, url]) => (url.startsWith("dtmd:") ? [] : [new URL(url).searchParams.get("url") ?? url])),
    markup: cardMarkup(text),
  };
}

/** The template draws its variables as plain text, in this order. */
function seenCard({ id, variables }: Card): SeenMessage {
  const texts = ["heading", ...TEXTS, "closing"].flatMap((name) => variables[name] || []);
  const buttons = ANSWERS.flatMap((kind) =>
    variables[`${kind}Shown`] === "true" ? [variables[`${kind}Label`] ?? ""] : [],
  );
  const open = variables.openShown === "true";
  return {
    id,
    text: visible([...texts, ...buttons, ...(open ? [variables.openLabel ?? ""] : [])].join("\n")),
    buttons,
    links: open ? [variables.openUrl ?? ""] : [],
    markup: texts.flatMap(plainMarkup),
  };
}

/** What has no width is not seen. */
function visible(text: string): string {
  return text.replaceAll("\u200B", "");
}
