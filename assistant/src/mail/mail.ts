import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createTransport } from "nodemailer";
import { type ReadMail, readMail } from "./read-mail.js";

interface Mail {
  readonly to: readonly string[];
  readonly cc?: readonly string[] | undefined;
  readonly subject: string;
  readonly body: string;
}

interface SentMail {
  readonly messageId: string;
  readonly accepted: readonly string[];
  readonly rejected: readonly string[];
}

/** Where mail goes. Sending the same key twice may arrive twice; `sent` tells whether that key went out before. */
export interface Outbox {
  send(mail: Mail, key: string): Promise<SentMail>;
  /** Undefined when this outbox cannot tell. */
  sent(key: string): Promise<boolean | undefined>;
}

interface OutboxOptions {
  /** The sender, such as `Home <home@example.org>`. */
  readonly from: string;
  /** A folder for .eml files: sent mail for an SMTP server, all of it for the local outbox. */
  readonly folder: string;
}

/** Mail that stays on this machine, as .eml files that any mail program opens. */
export function localOutbox({ from, folder }: OutboxOptions): Outbox {
  const transport = createTransport({ streamTransport: true, buffer: true, newline: "windows" });
  return {
    async send(mail, key) {
      const info = await transport.sendMail(message(mail, key, from));
      await keep(folder, key, info.message as Buffer);
      return { messageId: info.messageId, accepted: [...mail.to, ...(mail.cc ?? [])], rejected: [] };
    },
    sent: (key) => isKept(folder, key),
  };
}

/** Mail through an SMTP server, `smtp://` or `smtps://`. A copy is kept once the server has taken it. */
export function smtpOutbox({ url, from, folder }: OutboxOptions & { readonly url: string }): Outbox {
  const transport = createTransport(url, { disableFileAccess: true, disableUrlAccess: true });
  const copies = createTransport({ streamTransport: true, buffer: true, newline: "windows" });
  return {
    async send(mail, key) {
      const info = await transport.sendMail(message(mail, key, from));
      const copy = await copies.sendMail(message(mail, key, from));
      await keep(folder, key, copy.message as Buffer);
      return { messageId: info.messageId, accepted: info.accepted.map(address), rejected: info.rejected.map(address) };
    },
    // The server may have taken it before the copy was written: no copy proves nothing.
    sent: async (key) => ((await isKept(folder, key)) ? true : undefined),
  };
}

/** The mails of a folder of .eml files, newest first. */
export async function readFolder(folder: string, limit: number): Promise<readonly ReadMail[]> {
  const names = await readdir(folder).catch(() => []);
  const mails = await Promise.all(
    names
      .filter((name) => name.endsWith(".eml"))
      .map(async (name) => ({ name, ...readMail(await readFile(join(folder, name))) })),
  );
  return mails.sort((a, b) => Date.parse(b.date || "0") - Date.parse(a.date || "0")).slice(0, limit);
}

/** The id comes from the key, so that a second attempt is the same message to whoever receives both. */
function message({ to, cc = [], subject, body }: Mail, key: string, from: string) {
  return { from, to: [...to], cc: [...cc], subject, text: body, messageId: `<${nameOf(key)}@countersign.invalid>` };
}

function nameOf(key: string): string {
  return createHash("sha256").update(key).digest("hex").slice(0, 32);
}

async function keep(folder: string, key: string, content: Buffer): Promise<void> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, `${nameOf(key)}.eml`);
  // Written aside first: whoever looks sees a whole mail or none.
  await writeFile(`${path}.part`, content);
  await rename(`${path}.part`, path);
}

async function isKept(folder: string, key: string): Promise<boolean> {
  const names: readonly string[] = await readdir(folder).catch(() => []);
  return names.includes(`${nameOf(key)}.eml`);
}

function address(of: string | { readonly address: string }): string {
  return typeof of === "string" ? of : of.address;
}
