import { useMutation } from '@tanstack/react-query';

import { client } from '../api/client.ts';
import { toast, toastError } from './toast.tsx';

/** Opens the address where the person agrees. `onReturn`: called when they are back on this page. */
export const useLogIn = (server: string, onReturn: () => void) =>
  useMutation({
    mutationFn: () => client.servers.login(server),
    onSuccess: (answer) => {
      if ('url' in answer && /^https?:\/\//.test(answer.url)) {
        open(answer.url, '_blank', 'noopener');
        addEventListener('focus', onReturn, { once: true });
      } else toast(`${server} needs no log-in.`);
    },
    onError: toastError,
  });
