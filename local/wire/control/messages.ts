import { DAY_SECONDS } from '../../../policy/time-units';
import { isObject } from '../../kernel/json';
import { InvalidInput, MemberReader } from '../../kernel/member-reader';
import { type ControlledSimulation, type ControlRoute, parsedBody, type SendingOptions, THE_BODY } from './route';

/** `GET ?text=T&place=P&trouble=dead-lettered&before=N`: lists messages. `GET /ID`: everything about one message. */
export const MESSAGES_ROUTE: ControlRoute = {
  GET: ({ messages }, { rest, query }) => {
    if (rest === '') {
      const numbers = ['before', 'limit'];
      const given = [...query].map(([name, value]) => [name, numbers.includes(name) ? Number(value) : value]);
      return messages.search(Object.fromEntries(given), () => new Promise(resolve => setImmediate(resolve)));
    }
    const found = messages.read(decodeURIComponent(rest));
    if (found) return found;
    const rule = 'must be the id of a message that the trace has: see GET /_dlo/messages';
    throw new InvalidInput([{ property: 'the id', rule, value: rest }]);
  },
};

const MOST_MESSAGES = 100_000;
const LONGEST_PAUSE_SECONDS = DAY_SECONDS;

/** Stands for the number of a message in a stream. */
const NUMBER = '{n}';

/**
 * `POST {"topic":"Orders","message":"{n}","count":100,"everySeconds":1}`: publishes to a topic, or sends to a `queue`, as an
 * administrator: now, and again every few seconds of virtual time. `{n}` in the message is its number.
 */
export const SEND_ROUTE: ControlRoute = {
  POST: (simulation, { body }) => {
    const given = parsedBody(body);
    const reader = new MemberReader(given, THE_BODY);
    const topic = reader.text('topic');
    const queue = reader.text('queue');
    const message = reader.text('message');
    const count = reader.wholeNumber('count', 1, MOST_MESSAGES) ?? 1;
    const everySeconds = reader.number('everySeconds', 0, LONGEST_PAUSE_SECONDS) ?? 1;
    const groupId = reader.text('groupId');
    const attributes = reader.optional('attributes', 'must be an object of texts', isTexts);
    if ((topic === undefined) === (queue === undefined)) {
      reader.refuse(THE_BODY, 'must hold either topic or queue', topic === undefined ? undefined : 'both');
    }
    if (message === undefined) reader.refuse('message', 'must be a text', undefined);
    reader.check();
    const to = topic === undefined ? { queue: queue ?? '' } : { topic };
    const options = { ...(attributes && { attributes }), ...(groupId !== undefined && { groupId }) };
    try {
      return { messageId: sendAll(simulation, to, message ?? '', count, everySeconds * 1000, options), count };
    } catch (error) {
      if (!(error instanceof Error) || error instanceof InvalidInput) throw error;
      throw new InvalidInput([{ property: THE_BODY, rule: `must be accepted: ${error.message}`, value: undefined }]);
    }
  },
};

const isTexts = (value: unknown): value is Readonly<Record<string, string>> =>
  isObject(value) && Object.values(value).every(it => typeof it === 'string');

function sendAll(
  { send, after, clock }: ControlledSimulation,
  to: Parameters<ControlledSimulation['send']>[0],
  message: string,
  count: number,
  everyMs: number,
  options: SendingOptions,
): string {
  const sendOne = (number: number): string => {
    if (number < count) after(everyMs, () => void sendOne(number + 1));
    const unique = options.groupId === undefined ? {} : { deduplicationId: `sent-${clock.nowMs}-${number}` };
    return send(to, message.replaceAll(NUMBER, String(number)), { ...options, ...unique });
  };
  return sendOne(1);
}
