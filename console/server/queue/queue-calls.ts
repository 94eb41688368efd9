import { BadInput } from '../../../account/errors';
import { booleanValue, wholeNumber } from '../../../policy/json-members';
import type { QueueCalls } from '../../api/queue';
import { type CallHandlers, checked, text } from '../calls';
import type { ConsoleContext } from '../context';
import { exportDocument, lookDocument, messageDetail, messagePage } from './look-document';
import { QueueLooks } from './queue-look';

const MOST_MESSAGES = 10_000;
const MOST_HOURS = 336;
const MOST_ROWS = 500;

export function queueCalls(context: ConsoleContext): Pick<CallHandlers, keyof QueueCalls> {
  const looks = new QueueLooks(context);
  return {
    'queue/look': {
      // It receives messages, but what it does, any consumer of the queue does too.
      changes: false,
      read: checked<'queue/look'>({
        queue: text,
        messages: wholeNumber(1, MOST_MESSAGES),
        sinceHours: wholeNumber(1, MOST_HOURS),
        isForced: booleanValue,
      }),
      run: async input => lookDocument(await looks.take(input), context.source.site),
    },
    'queue/messages': {
      changes: false,
      read: checked<'queue/messages'>({
        look: text,
        filter: text,
        cause: text,
        from: wholeNumber(0, MOST_MESSAGES),
        count: wholeNumber(1, MOST_ROWS),
      }),
      run: async input => messagePage(looks.find(input.look), input),
    },
    'queue/export': {
      changes: false,
      read: checked<'queue/export'>({ look: text, filter: text, cause: text }),
      run: async input => exportDocument(looks.find(input.look), input),
    },
    'queue/fix': {
      changes: true,
      read: checked<'queue/fix'>({ look: text, cause: text }),
      run: async ({ look, cause }) => {
        await looks.applyFix(look, cause);
        return {};
      },
    },
    'queue/message': {
      changes: false,
      read: checked<'queue/message'>({ look: text, id: text }),
      run: async ({ look, id }) => {
        const detail = messageDetail(looks.find(look), id);
        if (detail) return detail;
        throw new BadInput([`the look saw no message with the id ${id}`]);
      },
    },
  };
}
