import { destinationOf } from '../../../../local/wire/server/routes';
import { signedFor } from './raw-http';

const PLACE = { region: 'us-east-1', urlSuffix: 'amazonaws.com' };

function hostOf(path: string, headers: Readonly<Record<string, string>> = {}, body = ''): string | undefined {
  const destination = destinationOf({ path, headers, body: Buffer.from(body) }, PLACE);
  return destination && destination.host + destination.path;
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' };

describe('a request finds its service', () => {
  it.each([
    ['sqs', 'sqs.us-east-1.amazonaws.com/'],
    ['monitoring', 'monitoring.us-east-1.amazonaws.com/'],
    ['iam', 'iam.amazonaws.com/'],
    ['dynamodb', 'dynamodb.us-east-1.amazonaws.com/'],
  ])('by whom its signature is for: %s', (service, expected) => {
    expect(hostOf('/', { ...signedFor(service), host: '127.0.0.1:4566' })).toBe(expected);
  });

  it('by its signature before its host, and in the Region that names', () => {
    const headers = { ...signedFor('sqs', 'eu-west-1'), host: 'queue.amazonaws.com' };
    expect(hostOf('/', headers)).toBe('sqs.eu-west-1.amazonaws.com/');
  });

  it('by a presigned URL', () => {
    const path = '/?Action=ListTopics&X-Amz-Credential=AKIA%2F20260101%2Fus-east-1%2Fsns%2Faws4_request';
    expect(hostOf(path)).toBe(`sns.us-east-1.amazonaws.com${path}`);
  });

  it.each([
    ['sqs.us-east-1.amazonaws.com:4566', 'sqs.us-east-1.amazonaws.com/'],
    ['SNS.us-east-1.amazonaws.com', 'sns.us-east-1.amazonaws.com/'],
    ['sqs.localhost:4566', 'sqs.us-east-1.amazonaws.com/'],
    ['sqs.us-east-1.localhost', 'sqs.us-east-1.amazonaws.com/'],
    ['iam.localhost', 'iam.amazonaws.com/'],
    ['abc123.execute-api.localhost:4566', 'abc123.execute-api.us-east-1.amazonaws.com/'],
    ['abc123.execute-api.us-east-1.amazonaws.com', 'abc123.execute-api.us-east-1.amazonaws.com/'],
  ])('by its host: %s', (host, expected) => {
    expect(hostOf('/', { host })).toBe(expected);
  });

  it.each([
    ['/_aws/execute-api/abc123/prod/orders?x=1', 'abc123.execute-api.us-east-1.amazonaws.com/prod/orders?x=1'],
    ['/_aws/execute-api/abc123', 'abc123.execute-api.us-east-1.amazonaws.com/'],
    ['/2015-03-31/functions', 'lambda.us-east-1.amazonaws.com/2015-03-31/functions'],
    ['/schedules/hourly', 'scheduler.us-east-1.amazonaws.com/schedules/hourly'],
    ['/123456789012/orders', 'sqs.us-east-1.amazonaws.com/123456789012/orders'],
    ['/SimpleNotificationService-0123.pem', 'sns.us-east-1.amazonaws.com/SimpleNotificationService-0123.pem'],
    ['/?Action=ConfirmSubscription&Token=t', 'sns.us-east-1.amazonaws.com/?Action=ConfirmSubscription&Token=t'],
    ['/?Action=GetCallerIdentity&Version=2011-06-15', 'sts.amazonaws.com/?Action=GetCallerIdentity&Version=2011-06-15'],
  ])('by its path: %s', (path, expected) => {
    expect(hostOf(path, { host: 'localhost:4566' })).toBe(expected);
  });

  it('by X-Amz-Target, by the path of CBOR, and by the version in a form', () => {
    expect(hostOf('/', { 'x-amz-target': 'TrentService.ListKeys' })).toBe('kms.us-east-1.amazonaws.com/');
    const path = '/service/GraniteServiceVersion20100801/operation/ListMetrics';
    expect(hostOf(path)).toBe(`monitoring.us-east-1.amazonaws.com${path}`);
    expect(hostOf('/', FORM, 'Action=ListStacks&Version=2010-05-15')).toBe('cloudformation.us-east-1.amazonaws.com/');
  });

  it.each(['/', '/favicon.ico', '/?Action=Fly', '/_aws/else', '/12345/orders'])('and otherwise none: %s', path => {
    expect(hostOf(path, { host: 'localhost:4566' })).toBeUndefined();
  });
});
