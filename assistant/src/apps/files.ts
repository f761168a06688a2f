import { createHash, randomBytes } from "node:crypto";
import { mkdir, readdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { type AnyTool, defineTool } from "countersign";
import { analysePath } from "countersign/analysers";
import { z } from "zod";
import { labelsOf } from "./labels.js";

const path = z.string().min(1).max(1_000);
const content = z.string().max(1_000_000);
const one = z.object({ path }).strict();
const written = z.object({ path, content }).strict();
const trashed = z.object({ trashId: z.string().regex(/^[0-9a-f]{16}$/) }).strict();
const TRASH = ".trash";
const NOUN = { en: "file", zh: "文件" };

/**
 * Files inside one folder per workspace. A path is judged by where it really leads, links followed, each time it is used; what is
 * deleted goes to a trash folder, from which it can be restored.
 */
export function fileTools(root: string): readonly AnyTool[] {
  const place = (workspaceId: string) => join(root, encodeURIComponent(workspaceId));
  const within = async (workspaceId: string, named: string): Promise<string> => {
    const folder = place(workspaceId);
    await mkdir(folder, { recursive: true });
    const { inside, real } = await analysePath(named, { roots: [folder], cwd: folder });
    const local = real === undefined ? "" : relative(folder, real);
    if (!inside || real === undefined || local === "" || local.split("/")[0] === TRASH) {
      throw new Error(`${JSON.stringify(named)} is not a file in the folder of this workspace.`);
    }
    return real;
  };
  const look = async (workspaceId: string, named: string) => {
    const real = await within(workspaceId, named);
    const text = await readFile(real, "utf8").catch(() => undefined);
    const digest = createHash("sha256")
      .update(text ?? "")
      .digest("hex");
    return { real, text, digest: `${text === undefined ? "absent" : "present"}:${digest}` };
  };
  const existing = async (workspaceId: string, named: string) => {
    const { text, ...found } = await look(workspaceId, named);
    if (text === undefined) throw new Error(`There is no file ${JSON.stringify(named)}.`);
    return { ...found, text };
  };

  return [
    defineTool({
      name: "files.list",
      title: { en: "List files", zh: "列出文件" },
      effect: "read",
      inputSchema: z.object({}).strict(),
      execute: async (_args, { workspaceId }) => {
        const found = await readdir(place(workspaceId), { recursive: true, withFileTypes: true }).catch(() => []);
        const files = found
          .filter((each) => each.isFile())
          .map((each) => relative(place(workspaceId), join(each.parentPath, each.name)));
        return { files: files.filter((file) => !file.startsWith(`${TRASH}/`)).toSorted() };
      },
    }),
    defineTool({
      name: "files.read",
      title: { en: "Read a file", zh: "读取文件" },
      effect: "read",
      inputSchema: one,
      labels: labelsOf(one),
      execute: async ({ path: named }, { workspaceId }) => ({ content: (await existing(workspaceId, named)).text }),
    }),
    defineTool({
      name: "files.create",
      title: { en: "Create a file", zh: "新建文件" },
      effect: "write",
      riskTier: "R1",
      inputSchema: written,
      labels: labelsOf(written),
      confirmPrompt: { en: "Create the file {path}?", zh: "创建文件 {path}？" },
      preview: async ({ path: named }, { workspaceId }) => {
        const { digest } = await look(workspaceId, named);
        return { effects: [{ kind: "create", noun: NOUN, count: 1, sample: [named] }], digest };
      },
      rollback: { note: { en: "The file can be deleted again.", zh: "文件之后可以删除。" } },
      execute: async ({ path: named, content: text }, { workspaceId }) => {
        const real = await within(workspaceId, named);
        await mkdir(dirname(real), { recursive: true });
        // Fails where something stands already: to overwrite is another tool, which asks.
        await writeFile(real, text, { flag: "wx" });
        return { path: named, bytes: Buffer.byteLength(text) };
      },
    }),
    defineTool({
      name: "files.update",
      title: { en: "Overwrite a file", zh: "覆盖文件" },
      effect: "write",
      riskTier: "R2",
      confirm: true,
      inputSchema: written,
      labels: labelsOf(written),
      confirmPrompt: { en: "Overwrite the file {path}?", zh: "覆盖文件 {path}？" },
      preview: async ({ path: named, content: after }, { workspaceId }) => {
        const { text, digest } = await existing(workspaceId, named);
        return { effects: [{ kind: "update", noun: NOUN, count: 1, before: text, after }], digest };
      },
      rollback: { note: { en: "The earlier version is kept in the trash.", zh: "旧版本保存在回收站中。" } },
      execute: async ({ path: named, content: text }, { workspaceId }) => {
        const { real, text: before } = await existing(workspaceId, named);
        const trashId = await keep(place(workspaceId), real, before);
        await writeFile(real, text);
        return { path: named, bytes: Buffer.byteLength(text), trashId };
      },
    }),
    defineTool({
      name: "files.delete",
      title: { en: "Delete a file", zh: "删除文件" },
      effect: "write",
      destructive: true,
      confirm: true,
      actionType: "delete_file",
      inputSchema: one,
      labels: labelsOf(one),
      confirmPrompt: { en: "Delete the file {path}?", zh: "删除文件 {path}？" },
      preview: async ({ path: named }, { workspaceId }) => {
        const { digest } = await existing(workspaceId, named);
        return { effects: [{ kind: "delete", noun: NOUN, count: 1, sample: [named] }], digest };
      },
      rollback: {
        note: { en: "It goes to the trash and can be restored.", zh: "文件会移到回收站，可以恢复。" },
        call: (_args, result) => ({
          tool: "files.restore",
          args: { trashId: (result as unknown as { trashId: string }).trashId },
        }),
      },
      execute: async ({ path: named }, { workspaceId }) => {
        const { real } = await existing(workspaceId, named);
        const trashId = randomBytes(8).toString("hex");
        const target = join(place(workspaceId), TRASH, trashId, relative(place(workspaceId), real));
        await mkdir(dirname(target), { recursive: true });
        await rename(real, target);
        return { path: named, trashId };
      },
    }),
    defineTool({
      name: "files.restore",
      title: { en: "Restore a file", zh: "恢复文件" },
      effect: "write",
      riskTier: "R1",
      inputSchema: trashed,
      labels: labelsOf(trashed),
      confirmPrompt: { en: "Restore the file {trashId}?", zh: "恢复文件 {trashId}？" },
      preview: ({ trashId }) => ({
        effects: [{ kind: "create", noun: { en: "file", zh: "文件" }, count: 1, sample: [trashId] }],
      }),
      rollback: { note: { en: "It can be deleted again.", zh: "可以再次删除。" } },
      execute: async ({ trashId }, { workspaceId }) => {
        const trash = join(place(workspaceId), TRASH, trashId);
        const [kept] = (await readdir(trash, { recursive: true, withFileTypes: true }).catch(() => [])).filter((each) =>
          each.isFile(),
        );
        if (kept === undefined) throw new Error("There is nothing of that in the trash.");
        const from = join(kept.parentPath, kept.name);
        const named = relative(trash, from);
        const to = await within(workspaceId, named);
        if (
          await stat(to).then(
            () => true,
            () => false,
          )
        )
          throw new Error(`${JSON.stringify(named)} exists again.`);
        await mkdir(dirname(to), { recursive: true });
        await rename(from, to);
        return { path: named };
      },
    }),
  ];
}

async function keep(folder: string, real: string, text: string): Promise<string> {
  const trashId = randomBytes(8).toString("hex");
  const target = join(folder, TRASH, trashId, relative(folder, real));
  await mkdir(dirname(target), { recursive: true });
  await writeFile(target, text);
  return trashId;
}
