import { json } from "@codemirror/lang-json";
import { basicSetup, EditorView } from "codemirror";
import { useEffect, useRef } from "react";

interface JsonEditorProps {
  readonly value: string;
  readonly label: string;
  readonly onChange: (value: string) => void;
}

const THEME = EditorView.theme({
  "&": { backgroundColor: "var(--sheet)", color: "var(--ink)", border: "1px solid var(--edge)", borderRadius: "4px" },
  ".cm-content": { fontFamily: "var(--font-mono)", fontSize: "14px", caretColor: "var(--ink)" },
  ".cm-gutters": { backgroundColor: "var(--wash)", color: "var(--muted)", border: "none" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "transparent" },
  // The language's colours are made for white paper: here everything is ink.
  ".cm-line span": { color: "inherit !important" },
  ".cm-scroller": { maxHeight: "50dvh", overflow: "auto" },
  "&.cm-focused": { outline: "2px solid var(--accent)" },
});

/** Lives in a shadow root: there the editor adopts its stylesheets instead of writing style elements, which the policy forbids. */
export function JsonEditor({ value, label, onChange }: JsonEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const latest = useRef(onChange);
  latest.current = onChange;
  const initial = useRef(value);
  useEffect(() => {
    const element = host.current;
    if (element === null) return;
    const root = element.shadowRoot ?? element.attachShadow({ mode: "open" });
    const view = new EditorView({
      doc: initial.current,
      root,
      parent: root,
      extensions: [
        basicSetup,
        json(),
        THEME,
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ "aria-label": label }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) latest.current(update.state.doc.toString());
        }),
      ],
    });
    return () => view.destroy();
  }, [label]);
  return <div ref={host} />;
}
