/** Writes text to the clipboard. */
import { toast, toastError } from './toast.tsx';

/** Throws if the browser did not copy it. */
export async function copyText(text: string): Promise<void> {
  // Pages without TLS have no clipboard API.
  if (navigator.clipboard === undefined) copyFromField(text);
  else await navigator.clipboard.writeText(text);
}

/** Says whether it was copied. */
export async function copyAndSay(text: string, said: string): Promise<void> {
  try {
    await copyText(text);
    toast(said);
  } catch (error) {
    toastError(error);
  }
}

function copyFromField(text: string): void {
  const focused = document.activeElement;
  const field = document.createElement('textarea');
  field.value = text;
  // While a dialog is open, no field outside of it can be selected.
  const place = [...document.querySelectorAll('dialog:modal')].at(-1) ?? document.body;
  place.append(field);
  field.select();
  const isCopied = document.execCommand('copy');
  field.remove();
  if (focused instanceof HTMLElement) focused.focus();
  if (!isCopied) throw new Error('The browser did not copy it: select the text, and copy it by hand.');
}
