import { BadInput } from '../../../account/errors';
import { booleanValue, must, wholeNumber } from '../../../policy/json-members';
import type { QueueCalls } from '../../api/queue';
import { type CallHandlers, checked } from '../calls';
import type { ConsoleContext } from '../context';
import { exportDocument, lookDocument, messageDetail, messagePage } from './look-document';
import { QueueLooks } from './queue-look';

const text = must('must be a string', value => typeof value === 'string');

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
        queue: { check: text },
        messages: { check: wholeNumber(1, MOST_MESSAGES) },
        sinceHours: { check: wholeNumber(1, MOST_HOURS) },
        isForced: { check: booleanValue },
      }),
      run: async input => lookDocument(await looks.take(input), context.source.site),
    },
    'queue/messages': {
      changes: false,
      read: checked<'queue/messages'>({
        look: { check: text },
        filter: { check: text },
        cause: { check: text },
        from: { check: wholeNumber(0, MOST_MESSAGES) },
        count: { check: wholeNumber(1, MOST_ROWS) },
      }),
      run: async input => messagePage(looks.find(input.look), input),
    },
    'queue/export': {
      changes: false,
      read: checked<'queue/export'>({ look: { check: text }, filter: { check: text }, cause: { check: text } }),
      run: async input => exportDocument(looks.find(input.look), input),
    },
    'queue/fix': {
      changes: true,
      read: checked<'queue/fix'>({ look: { check: text }, cause: { check: text } }),
      run: async ({ look, cause }) => {
        await looks.applyFix(look, cause);
        return {};
      },
    },
    'queue/message': {
      changes: false,
      read: checked<'queue/message'>({ look: { check: text }, id: { check: text } }),
      run: async ({ look, id }) => {
        const detail = messageDetail(looks.find(look), id);
        if (detail) return detail;
        throw new BadInput([`the look saw no message with the id ${id}`]);
      },
    },
  };
}
