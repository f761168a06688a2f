import { card, state } from "./en/card.js";
import { chat } from "./en/chat.js";
import { common, demo, nav, problems, product, risk, standing } from "./en/common.js";
import { decide, dryRun, edit, less } from "./en/decide.js";
import { audit, history } from "./en/history.js";
import { group, inbox, keys } from "./en/inbox.js";
import { settings } from "./en/settings.js";
import { signIn } from "./en/sign-in.js";

/** Every sentence of the web app in English. Braces of other formats are functions here, so that a missing value does not compile. */
export const en = {
  locale: "en",
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
} as const;
