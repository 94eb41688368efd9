import type { Connection } from '../../../account/connection/connection';
import { TimedRetries } from '../../../account/connection/retries';
import { UnreadCalls } from '../../../account/connection/unread-calls';
import { AccountReader } from '../../../account/inventory/account-reader';

const REGION = 'eu-west-1';

export type Answer = object | Error;

/** Returns a reader of an account that gives the same answer to every call of one kind. */
export function readerOf(answers: Readonly<Record<string, Answer>>): AccountReader {
  const client: Connection['client'] = Client => {
    const made = new Client({
      region: REGION,
      useQueueUrlAsEndpoint: false,
      retryStrategy: new TimedRetries({ nowMs: () => 0, wait: async () => {}, random: () => 0 }),
      requestHandler: { connectionTimeout: 1, requestTimeout: 1, throwOnRequestTimeout: true },
    });
    const answered = async (commandName: string) => {
      const answer = answers[commandName];
      if (answer instanceof Error) throw answer;
      return { response: {}, output: { $metadata: {}, ...answer } };
    };
    made.middlewareStack.add(
      (_, { commandName = '' }) =>
        () =>
          answered(commandName),
      {
        step: 'initialize',
        priority: 'high',
        name: 'answer',
      },
    );
    return made;
  };
  return new AccountReader({ region: REGION, unread: new UnreadCalls(), client });
}

export const named = (name: string, message: string) => Object.assign(new Error(message), { name, $metadata: {} });
