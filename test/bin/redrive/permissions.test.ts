import { LambdaClient, PutFunctionConcurrencyCommand } from '@aws-sdk/client-lambda';
import { addOperators, type Takes, testPermissions } from '../told-permissions';
import { ordersRedrive, RedriveAccount } from './redrive-account';

const FIND = ['lambda:ListFunctions'];
const SWITCH = [...FIND, 'ssm:GetParameter'];
const LIST = [
  ...SWITCH,
  'lambda:GetEventSourceMapping',
  'sqs:GetQueueAttributes',
  'sqs:ListMessageMoveTasks',
  'cloudwatch:DescribeAlarms',
  'cloudwatch:DescribeAlarmHistory',
  'cloudwatch:GetMetricData',
];

/** What the help of each command says it takes. Those with --execute change something, and only they need more than to read. */
const TAKES: Takes = {
  ls: LIST,
  'show Home': [...LIST, 'logs:FilterLogEvents'],
  'run Home': LIST,
  'run Home --execute': [...LIST, 'lambda:InvokeFunction'],
  'start Home': SWITCH,
  'stop Home': SWITCH,
  'stop Home --execute': [...SWITCH, 'ssm:PutParameter'],
};

describe('dlo redrive', () => {
  let account: RedriveAccount;

  beforeAll(async () => {
    account = await RedriveAccount.of(stack => {
      ordersRedrive(stack);
      addOperators(stack, TAKES);
    });
    // Nothing begins by itself, nor what is asked to run: so that it can be asked again.
    const lambda = new LambdaClient({ ...account.deployed.aws.clientConfig(), maxAttempts: 1 });
    const asleep = { FunctionName: account.name('Home'), ReservedConcurrentExecutions: 0 };
    await lambda.send(new PutFunctionConcurrencyCommand(asleep));
    // Where there is no letter, nobody is asked to run; and nobody asks after a recovery where there was none of late.
    await account.home.deadLetterMessage(['order 7']);
    await account.ring('Health', 'ALARM');
    await account.deployed.advance({ minutes: 3 });
  });

  // What is stopped already need not be stopped.
  beforeEach(async () => {
    expect(await account.dlo('start Home --execute')).toMatchObject({ exitCode: 0 });
  });

  testPermissions(TAKES, LIST, () => account);
});
