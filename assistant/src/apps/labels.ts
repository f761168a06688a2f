import type { LocalText } from "countersign";
import type { z } from "zod";

/** What people call the arguments of the household's tools. */
const LABELS: Readonly<Record<string, LocalText>> = {
  all: { en: "Everything", zh: "全部" },
  assignedToUserId: { en: "For", zh: "指派给" },
  attendees: { en: "Attendees", zh: "参与者" },
  body: { en: "Text", zh: "正文" },
  cc: { en: "Copy to", zh: "抄送" },
  content: { en: "Content", zh: "内容" },
  done: { en: "Done", zh: "已完成" },
  dueAt: { en: "Due", zh: "截止时间" },
  end: { en: "Ends", zh: "结束" },
  eventId: { en: "Event", zh: "日程" },
  folderId: { en: "Folder", zh: "文件夹" },
  id: { en: "Which one", zh: "编号" },
  ids: { en: "Which ones", zh: "编号" },
  listId: { en: "List", zh: "清单" },
  location: { en: "Place", zh: "地点" },
  name: { en: "Name", zh: "名称" },
  notes: { en: "Notes", zh: "备注" },
  path: { en: "File", zh: "文件" },
  priority: { en: "Priority", zh: "优先级" },
  recurrence: { en: "Repeats", zh: "重复" },
  sql: { en: "Statement", zh: "语句" },
  start: { en: "Starts", zh: "开始" },
  subject: { en: "Subject", zh: "主题" },
  summary: { en: "What", zh: "事项" },
  taskId: { en: "Task", zh: "任务" },
  title: { en: "Title", zh: "标题" },
  to: { en: "To", zh: "收件人" },
  trashId: { en: "From the trash", zh: "回收站中的" },
};

/** The labels of a schema's arguments. One without a label is shown under its own name. */
export function labelsOf({ shape }: Pick<z.ZodObject, "shape">): Readonly<Record<string, LocalText>> {
  const named = Object.keys(shape).flatMap((name) => {
    const label = Object.hasOwn(LABELS, name) ? LABELS[name] : undefined;
    return label === undefined ? [] : [[name, label] as const];
  });
  return Object.fromEntries(named);
}
