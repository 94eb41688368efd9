import type { Connection } from '../../../account/connection/connection';
import { ThrottleRetries } from '../../../account/connection/patient-retries';
import { AccountReader } from '../../../account/inventory/account-reader';
import { readSchedules } from '../../../account/inventory/schedules';

const REGION = 'mx-central-1';

/** Somebody who reads an account where every call ends so, before it is sent. */
function readerAt(code: string): AccountReader {
  const client: Connection['client'] = Client => {
    const made = new Client({
      region: REGION,
      useQueueUrlAsEndpoint: false,
      retryStrategy: new ThrottleRetries(),
      requestHandler: { connectionTimeout: 1, requestTimeout: 1, throwOnRequestTimeout: true },
    });
    const fail = () => Promise.reject(Object.assign(new Error(`getaddrinfo ${code}`), { code }));
    made.middlewareStack.add(() => fail, { step: 'initialize', priority: 'high', name: 'fail' });
    return made;
  };
  return new AccountReader({ region: REGION, client });
}

test('a Region without Scheduler has no schedules, and it is said', async () => {
  const reader = readerAt('ENOTFOUND');
  expect(await readSchedules(reader)).toEqual([]);
  expect(reader.unseen).toEqual(['schedules are not read: EventBridge Scheduler has no address in mx-central-1']);
});

test('a Scheduler that does not answer is an error', async () => {
  const reader = readerAt('ECONNRESET');
  await expect(readSchedules(reader)).rejects.toThrow('ECONNRESET');
  expect(reader.unseen).toEqual([]);
});
