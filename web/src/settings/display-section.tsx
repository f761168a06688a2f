import { usePreferences } from "../shell/preferences.js";
import { useMe } from "../shell/session.js";
import { visible } from "../ui/json-text.js";
import { Select } from "../ui/select.js";
import { useWords } from "../words/words.js";

export function DisplaySection() {
  const text = useWords().settings.display;
  const { locale, look, setLocale, setLook } = usePreferences();
  const { workspaces, workspaceId, chooseWorkspace } = useMe();
  return (
    <div className="grid max-w-sm gap-4">
      <Select
        label={text.language}
        value={locale}
        onChange={setLocale}
        options={[
          ["en", text.languages.en],
          ["zh", text.languages.zh],
        ]}
      />
      <Select
        label={text.look}
        value={look}
        onChange={setLook}
        options={[
          ["system", text.looks.system],
          ["light", text.looks.light],
          ["dark", text.looks.dark],
        ]}
      />
      {workspaces.length < 2 ? null : (
        <Select
          label={text.workspace}
          value={workspaceId ?? ""}
          onChange={chooseWorkspace}
          options={workspaces.map((workspace) => [workspace.workspaceId, visible(workspace.name)])}
        />
      )}
    </div>
  );
}
