/** An error as Slack words it. */
export class Refusal extends Error {}

interface TextObject {
  readonly type?: string;
  readonly text?: string;
  readonly emoji?: boolean;
  readonly style?: object;
}

interface Element extends TextObject {
  readonly elements?: readonly Element[];
  readonly action_id?: string;
  readonly value?: string;
  readonly url?: string;
}

export interface Block {
  readonly type: string;
  readonly text?: TextObject;
  readonly elements?: readonly (Omit<Element, "text"> & { readonly text?: string | TextObject })[];
}

interface Button {
  readonly label: string;
  readonly actionId: string;
  readonly value?: string;
  readonly url?: string;
}

const LIMITS: Readonly<Record<string, number>> = { header: 150, section: 3_000 };

/** Everything that Slack would refuse about blocks. */
export function checkBlocks(blocks: readonly Block[]): void {
  if (blocks.length > 50) throw new Refusal("invalid_blocks");
  if (Buffer.byteLength(JSON.stringify(blocks)) > 13_000) throw new Refusal("msg_blocks_too_long");
  for (const block of blocks) {
    if (block.type === "header" || block.type === "section") {
      const length = block.text?.text?.length ?? 0;
      if (length < 1 || length > (LIMITS[block.type] ?? 0)) throw new Refusal("invalid_blocks");
    } else if (block.type === "rich_text") {
      if ((block.elements ?? []).length === 0) throw new Refusal("invalid_blocks");
    } else if (block.type !== "actions") throw new Refusal("invalid_blocks");
  }
  const buttons = buttonsOf(blocks);
  if (new Set(buttons.map(({ actionId }) => actionId)).size < buttons.length) throw new Refusal("invalid_blocks");
  for (const { label, actionId, value = "", url = "" } of buttons) {
    const within = label.length <= 75 && actionId.length <= 255 && value.length <= 2_000 && url.length <= 3_000;
    if (!within || label === "") throw new Refusal("invalid_blocks");
  }
}

export function buttonsOf(blocks: readonly Block[]): readonly Button[] {
  return blocks
    .filter(({ type }) => type === "actions")
    .flatMap(({ elements = [] }) =>
      elements.map(({ text, action_id: actionId = "", value, url }) => ({
        label: typeof text === "object" ? (text.text ?? "") : "",
        actionId,
        ...(value === undefined ? {} : { value }),
        ...(url === undefined ? {} : { url }),
      })),
    );
}

/** What a person reads. */
export function textOf(blocks: readonly Block[]): string {
  return blocks
    .map((block) => {
      if (block.type === "rich_text") return ((block.elements ?? []) as readonly Element[]).map(richTextOf).join("\n");
      return block.text?.text ?? "";
    })
    .filter((text) => text !== "")
    .join("\n");
}

function richTextOf({ text, elements = [] }: Element): string {
  return text ?? elements.map(richTextOf).join("");
}

/** Links, mentions and formats that blocks ask for or leave to Slack's markup. */
export function markupOf(blocks: readonly Block[], fallback: string): readonly string[] {
  return [
    ...blocks.flatMap(({ text }) => plainness(text)),
    ...blocks.flatMap(({ type, elements = [] }) =>
      type === "rich_text" ? (elements as readonly Element[]).flatMap(richMarkup) : [],
    ),
    // A notification shows the fallback, in which angle brackets still mean something.
    ...[...fallback.matchAll(/<[^>]*>?/g)].map(([found]) => `fallback: ${found}`),
  ];
}

function plainness(text: TextObject | undefined): readonly string[] {
  if (text === undefined) return [];
  if (text.type !== "plain_text") return [`${text.type}: ${text.text}`];
  return text.emoji === false ? [] : [`emoji: ${text.text}`];
}

/** Only words, in bold or in a fixed width, lead nowhere. */
const QUIET = new Set(["rich_text_section", "rich_text_preformatted", "text"]);

function richMarkup({ type = "", elements = [] }: Element): readonly string[] {
  return [...(QUIET.has(type) ? [] : [type]), ...elements.flatMap(richMarkup)];
}
