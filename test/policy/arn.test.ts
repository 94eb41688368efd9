import fc from 'fast-check';
import { displayNameOf, formatArn, lastPart, nameInArn, parseArn } from '../../policy/arn';

const part = fc.stringMatching(/^[a-z0-9-]{0,8}$/);
const filled = fc.stringMatching(/^[a-z0-9-]{1,8}$/);

describe('an ARN', () => {
  test.each([
    ['arn:aws:sqs:us-east-1:123456789012:orders', ['aws', 'sqs', 'us-east-1', '123456789012', 'orders']],
    ['arn:aws:iam::123456789012:role/service-role/r', ['aws', 'iam', '', '123456789012', 'role/service-role/r']],
    ['arn:aws:lambda:eu-west-1:1:function:f:live', ['aws', 'lambda', 'eu-west-1', '1', 'function:f:live']],
    ['arn:aws:s3:::bucket', ['aws', 's3', '', '', 'bucket']],
    ['arn:aws:sns:us-east-1:1:', ['aws', 'sns', 'us-east-1', '1', '']],
  ])('%s is split into its parts', (text, [partition, service, region, account, resource]) => {
    expect(parseArn(text)).toEqual({ partition, service, region, account, resource });
  });

  test.each([
    '',
    'arn',
    'arn:',
    'arn:aws',
    'arn:aws:sqs',
    'arn:aws:sqs:us-east-1',
    'arn:aws:sqs:us-east-1:1',
    'urn:aws:sqs:us-east-1:1:q',
    'arn::sqs:r:1:q',
    'arn:aws::r:1:q',
  ])('%j is not an ARN', text => {
    expect(parseArn(text)).toBeUndefined();
  });

  test('is written as it was read', () => {
    fc.assert(
      fc.property(filled, filled, part, part, fc.string(), (partition, service, region, account, resource) => {
        const arn = { partition, service, region, account, resource };
        expect(parseArn(formatArn(arn))).toEqual(arn);
      }),
    );
  });

  test.each([
    ['arn:aws:sqs:us-east-1:1:orders', 'orders'],
    ['arn:aws:sns:us-east-1:1:orders', 'orders'],
    ['arn:aws:sns:us-east-1:1:endpoint/APNS/app/e-1', 'e-1'],
    ['arn:aws:lambda:us-east-1:1:function:bill', 'bill'],
    ['arn:aws:lambda:us-east-1:1:function:bill:live', 'bill:live'],
    ['arn:aws:lambda:us-east-1:1:event-source-mapping:uuid', 'uuid'],
    ['arn:aws:events:us-east-1:1:rule/nightly', 'nightly'],
    ['arn:aws:events:us-east-1:1:rule/shop/nightly', 'nightly'],
    ['arn:aws:scheduler:us-east-1:1:schedule/default/nightly', 'nightly'],
    ['arn:aws:iam::1:role/service-role/bill', 'bill'],
    ['arn:aws:logs:us-east-1:1:log-group:/aws/lambda/bill', '/aws/lambda/bill'],
    ['arn:aws:appsync:us-east-1:1:function:bill:live', 'live'],
    ['arn:aws:states:us-east-1:1:stateMachine:orders', 'orders'],
    ['arn:aws:firehose:us-east-1:1:deliverystream/orders', 'orders'],
    ['arn:aws:cloudwatch:us-east-1:1:alarm:shop/orders', 'shop/orders'],
    ['https://partner.example.com/orders', 'https://partner.example.com/orders'],
    ['a@example.com', 'a@example.com'],
  ])('%s is called %s', (arn, name) => {
    expect(displayNameOf(arn)).toBe(name);
  });

  test.each([
    ['arn:aws:sqs:us-east-1:1:orders', 'orders'],
    ['https://sqs.us-east-1.amazonaws.com/1/orders', 'orders'],
    ['role/service-role/bill', 'bill'],
    ['orders', 'orders'],
  ])('the last part of %s is %s', (name, last) => {
    expect(lastPart(name)).toBe(last);
  });

  test('has a name as its last part', () => {
    expect([nameInArn('arn:aws:sqs:us-east-1:1:orders'), nameInArn('orders')]).toEqual(['orders', 'orders']);
  });
});
