import type { Words } from "../words.js";
import { gapAfter } from "./gap.js";

export const product: Words["product"] = "Countersign";

export const risk: Words["risk"] = { R0: "仅查看", R1: "可撤销", R2: "敏感", R3: "对外或花费", R4: "不可撤销" };

export const common: Words["common"] = {
  close: "关闭",
  back: "返回",
  cancel: "取消",
  save: "保存",
  remove: "移除",
  copy: "复制",
  copied: "已复制",
  loading: "加载中…",
  retry: "重试",
  failed: "操作未成功。",
  offline: "已离线，无法在此提交决定。",
  more: "显示更多",
  optional: "可选",
  skip: "跳到正文",
  notFound: "此地址没有内容。",
  toInbox: "前往待处理",
  unreachable: "服务器没有响应。等待中的事项会一直保留。",
  never: "从未",
  navigation: "主导航",
  error: (detail) => `操作未成功：${detail}`,
};

export const nav: Words["nav"] = {
  inbox: "待处理",
  chat: "对话",
  history: "历史",
  settings: "设置",
  waiting: (n) => `${n} 项待处理`,
};

export const standing: Words["standing"] = {
  live: "实时",
  reconnecting: "正在重新连接…",
  offline: "已离线",
  chainHolds: (entries) => `审计链校验通过，共 ${entries} 条`,
  chainBroken: (entry) => `审计链在第 ${entry} 条处断裂`,
  verifyAgain: "重新校验",
  durable: "强行结束服务器也不会丢失任何内容。",
  passing: "仅保存在内存中，服务器停止后即消失。",
};

export const demo: Words["demo"] = {
  title: "使用虚构数据的演示",
  remove: "移除演示",
  removed: "演示及其数据已移除。",
  earlier: (n) => `之前的 ${n} 条`,
};

export const problems: Words["problems"] = {
  already_resolved: (person) => `${gapAfter(person)}先一步作出了决定，您的答复没有改变任何内容。`,
  expired: "已过期，未执行。",
  hash_mismatch: "内容在您查看之后已改变，请重新查看。",
  step_up_required: "此操作需要您的通行密钥，请在设置中添加。",
  passkey_refused: "通行密钥未被接受，未作出任何决定。",
  self_approval: "必须由其他人同意。",
  not_permitted: "您的角色不允许此操作。",
  rate_limited: "操作过于频繁，请稍候。",
  paused: "全部已暂停。",
  somebody: "有人",
};
