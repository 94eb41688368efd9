import { response } from '../../../local';
import { addOperators, type Takes, testPermissions } from '../told-permissions';
import { PARTNER, RelayAccount, twoRelays } from './relay-account';

const FIND = ['lambda:ListFunctions', 'lambda:ListEventSourceMappings'];
const LIST = [...FIND, 'sqs:GetQueueAttributes', 'cloudwatch:DescribeAlarms'];

/** What the help of each command says it takes. The last two change something, and only they need more than to read. */
const TAKES: Takes = {
  ls: LIST,
  'show Partner': [...LIST, 'cloudwatch:GetMetricData', 'logs:FilterLogEvents'],
  'stop Partner': FIND,
  'start Partner': FIND,
  'stop Partner --execute': [...FIND, 'lambda:UpdateEventSourceMapping'],
};

describe('dlo relay', () => {
  let account: RelayAccount;

  beforeAll(async () => {
    account = await RelayAccount.of(stack => {
      twoRelays(stack);
      addOperators(stack, TAKES);
    });
    // Of a relay whose attempts never fail, nobody reads a log.
    account.deployed.aws.endpoint(PARTNER).behave({ reply: response(503) });
    await account.deployed.publish('Orders', 'order 7');
    await account.deployed.advance({ minutes: 2 });
  });

  // What is stopped already need not be stopped.
  beforeEach(async () => {
    await account.deployed.advance({ minutes: 1 });
    expect(await account.dlo('start Partner --execute')).toMatchObject({ exitCode: 0 });
    await account.deployed.advance({ minutes: 1 });
  });

  testPermissions(TAKES, LIST, () => account);
});
