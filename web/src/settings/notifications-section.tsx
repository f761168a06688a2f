import { useState } from "react";
import { askForNotifications, wantsNotifications } from "../inbox/notifications.js";
import { Switch } from "../ui/switch.js";
import { useWords } from "../words/words.js";

export function NotificationsSection() {
  const text = useWords().settings.notifications;
  const [on, setOn] = useState(wantsNotifications);
  if (!("Notification" in window)) return <p>{text.unsupported}</p>;
  return (
    <div className="grid gap-4">
      <p className="text-muted">{text.lead}</p>
      <Switch label={text.on} checked={on} onChange={(wanted) => void askForNotifications(wanted).then(setOn)} />
      {Notification.permission === "denied" ? <p className="text-amber">{text.blocked}</p> : null}
    </div>
  );
}
