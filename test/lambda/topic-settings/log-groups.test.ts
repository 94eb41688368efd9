import type { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import type { Request } from '../../../lambda/topic-settings/cloudformation-request';
import { LOG_GROUP_ACTS, logGroupCalls } from '../../../lambda/topic-settings/log-groups';

/** CloudWatch Logs, which answers the calls of each name with these errors in turn, and then succeeds. */
function logsWhere(failures: Readonly<Record<string, string[]>>) {
  const calls: string[] = [];
  const send = async (command: { input: { logGroupName: string } }) => {
    const name = command.constructor.name.replace('Command', '');
    calls.push(`${name} ${command.input.logGroupName}`);
    const failure = failures[name]?.shift();
    if (failure) throw Object.assign(new Error('no'), { name: failure, $metadata: { httpStatusCode: 400 } });
    return {};
  };
  const waits: number[] = [];
  const ports = {
    logGroups: logGroupCalls({ send } as unknown as CloudWatchLogsClient),
    wait: async (milliseconds: number) => void waits.push(milliseconds),
    log: () => undefined,
  };
  return { ports, calls, waits };
}

const properties = { SuccessLogGroup: 'sns/a', FailureLogGroup: 'sns/a/Failure', RetentionInDays: '90', KmsKeyId: '' };

const request = (more: object = {}): Request => ({
  requestType: 'Create',
  resourceType: 'Custom::DeliveryStatusLogGroups',
  responseUrl: new URL('https://answers.example.com/'),
  stackId: 'stack',
  requestId: 'request',
  logicalId: 'LogGroups',
  physicalId: undefined,
  properties: { ...properties, OnDelete: 'Delete', ...more },
  oldProperties: {},
});

describe('the log groups of a topic', () => {
  test.each(['ThrottlingException', 'Throttling', 'OperationAbortedException'])(
    'are tried again after %s',
    async name => {
      const { ports, waits } = logsWhere({ CreateLogGroup: [name], PutRetentionPolicy: [name] });
      expect(await LOG_GROUP_ACTS.Create(request(), ports)).toEqual({ kind: 'done' });
      expect(waits).toEqual([2_000, 4_000]);
    },
  );

  test('are not adopted if this request has created them and was denied their retention at first', async () => {
    const failures = {
      CreateLogGroup: ['', 'ResourceAlreadyExistsException'],
      PutRetentionPolicy: ['AccessDeniedException'],
    };
    const { ports, calls } = logsWhere(failures);
    expect(await LOG_GROUP_ACTS.Create(request(), ports)).toEqual({ kind: 'done' });
    expect(calls.filter(it => it.includes('KmsKey'))).toEqual([]);
  });

  test('lose their key when they are adopted, and it is no error if they had none (assumption LOGS-8)', async () => {
    const failures = {
      CreateLogGroup: ['ResourceAlreadyExistsException'],
      DisassociateKmsKey: ['InvalidParameterException'],
    };
    const { ports, calls } = logsWhere(failures);
    expect(await LOG_GROUP_ACTS.Create(request(), ports)).toEqual({ kind: 'done', mark: ':taken-over' });
    expect(calls.filter(it => it.includes('KmsKey'))).toEqual(['DisassociateKmsKey sns/a']);
  });

  test('fail the deployment if they cannot have the key of the template', async () => {
    const failures = {
      CreateLogGroup: ['ResourceAlreadyExistsException'],
      AssociateKmsKey: ['InvalidParameterException'],
    };
    const { ports } = logsWhere(failures);
    const outcome = await LOG_GROUP_ACTS.Create(request({ KmsKeyId: 'arn:aws:kms:us-east-1:1:key/x' }), ports);
    expect(outcome).toMatchObject({ kind: 'refused', reason: expect.stringContaining('InvalidParameterException') });
  });
});
