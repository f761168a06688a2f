export { type Answer, type ConfirmOptions, confirmAtTerminal } from "./prompt.js";
export { type RenderOptions, renderCardText } from "./render.js";
