import type { Words } from "./words.js";
import { card, state } from "./zh/card.js";
import { chat } from "./zh/chat.js";
import { common, demo, nav, problems, product, risk, standing } from "./zh/common.js";
import { decide, dryRun, edit, less } from "./zh/decide.js";
import { audit, history } from "./zh/history.js";
import { group, inbox, keys } from "./zh/inbox.js";
import { settings } from "./zh/settings.js";
import { signIn } from "./zh/sign-in.js";

/** 网页应用的全部中文文案。 */
export const zh: Words = {
  locale: "zh",
  product,
  risk,
  common,
  nav,
  standing,
  demo,
  signIn,
  inbox,
  keys,
  group,
  card,
  decide,
  edit,
  dryRun,
  less,
  state,
  history,
  audit,
  settings,
  chat,
  problems,
};
