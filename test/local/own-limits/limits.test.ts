import { OwnLimit } from '../../../local/kernel/aws-error';
import { DrawnAccount } from './drawn-requests';
import type { Service } from './services';

const FOREIGN = 'arn:aws:dynamodb:us-east-1:222222222222:table/orders';
const template = (resource: object) => JSON.stringify({ Resources: { It: resource } });

describe('a limit of ours', () => {
  const account = new DrawnAccount();

  test.each<[Service, string, object, string]>([
    ['ssm', 'GetParameter', { Name: '/aws/service/ami/x' }, 'the public parameters of AWS (/aws/service/ami/x)'],
    ['ssm', 'GetParameters', { Names: ['/aws/service/ami/x'] }, 'the public parameters of AWS'],
    ['ssm', 'GetParametersByPath', { Path: '/aws/service/ami' }, 'the public parameters of AWS'],
    [
      'ssm',
      'GetParameter',
      { Name: 'arn:aws:ssm:us-east-1:222222222222:parameter/orders' },
      'of another account or Region',
    ],
    [
      'events',
      'DescribeRule',
      { Name: 'a', EventBusName: 'arn:aws:events:us-east-1:222222222222:event-bus/b' },
      'another account',
    ],
    [
      'dynamodb',
      'BatchGetItem',
      { RequestItems: { [FOREIGN]: { Keys: [{ id: { S: 'a' } }] } } },
      'in batches and transactions',
    ],
    [
      'dynamodb',
      'GetItem',
      { TableName: FOREIGN.replace('us-east-1:222222222222', 'eu-west-1:123456789012'), Key: {} },
      'another Region',
    ],
    [
      'lambda',
      'CreateEventSourceMapping',
      { FunctionName: 'orders', SelfManagedEventSource: { Endpoints: {} } },
      'SelfManagedEventSource',
    ],
    [
      'logs',
      'StartQuery',
      { logGroupName: 'orders', startTime: 1, endTime: 2, queryString: 'pattern @message' },
      'the command pattern',
    ],
    [
      'cloudformation',
      'CreateStack',
      { StackName: 's', TemplateBody: template({ Type: 'AWS::S3::Bucket' }) },
      'AWS::S3::Bucket',
    ],
  ])('is refused by %s:%s %j in a text that names it', (service, action, document, text) => {
    const call = () => account.service(service).call(action, account.home.sqs.owner, document);
    expect(call).toThrow(OwnLimit);
    expect(call).toThrow(expect.objectContaining({ code: 'NotImplemented', httpStatus: 501 }));
    expect(call).toThrow(text);
    expect(call).toThrow('This is a limit of Dead Letter Office, and not an answer of AWS: see docs/simulated.md.');
  });

  test('does not hide a problem of a template that AWS would refuse', () => {
    const TemplateBody = template({ Type: 'AWS::S3::Bucket', DependsOn: 'None' });
    const call = () =>
      account.service('cloudformation').call('CreateStack', account.home.sqs.owner, { StackName: 's', TemplateBody });
    expect(call).toThrow(
      'Template format error: Unresolved resource dependencies [None] in the Resources block of the template',
    );
  });
});
