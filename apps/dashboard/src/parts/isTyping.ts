/** Where keys are text, or belong to a dialog or a menu. */
const typing = 'input:not([type=checkbox]), textarea, select, dialog, [contenteditable], [role=menu]';

/** Whether a key is no shortcut of the page there. */
export const isTyping = ({ target, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean =>
  ctrlKey || metaKey || altKey || (target instanceof Element && target.closest(typing) !== null);
