import { parseArn } from '../../../policy/arn';
import {
  ACCOUNT_STAND_IN,
  hasStandIn,
  matchesOnceDeployed,
  mayBecomeOne,
  REGION_STAND_IN,
  standIn,
} from '../../../template/stand-in';

const queueArn = (name: string, region: string = REGION_STAND_IN) =>
  `arn:aws:sqs:${region}:${ACCOUNT_STAND_IN}:${name}`;

describe('stand-ins for what only a deployment tells', () => {
  test('leave an ARN an ARN', () => {
    expect(parseArn(queueArn(standIn('Test.Dead')))).toEqual({
      partition: 'aws',
      service: 'sqs',
      region: '<region>',
      account: '<account>',
      resource: '<Test.Dead>',
    });
  });

  test.each([
    ['<Test.Dead>.fifo', true],
    ['dead', false],
    ['1 < 2', false],
  ])('of %s it is said whether it has one: %s', (text, has) => {
    expect(hasStandIn(text)).toBe(has);
  });

  test.each<[string, string, boolean | undefined]>([
    [queueArn('<Test.Dead>'), queueArn('<Test.Dead>'), true],
    [queueArn('<Test.Dead>'), queueArn('<Test.Other>'), false],
    [queueArn('dead'), queueArn('other'), false],
    [queueArn('dead', 'us-east-1'), queueArn('dead'), undefined],
    [queueArn('dead', 'us-east-1'), queueArn('other'), false],
    ['arn:aws:sqs:*:*:*', queueArn('<Test.Dead>'), true],
    ['*', queueArn('<Test.Dead>'), true],
    [queueArn('Test-*'), queueArn('<Test.Dead>'), undefined],
    ['arn:aws:sns:*:*:*', queueArn('<Test.Dead>'), false],
    ['<Test.Secret>', queueArn('<Test.Dead>'), false],
    ['<Test.Secret>', 'arn:aws:sqs:us-east-1:123456789012:dead', undefined],
    ['123456789012', ACCOUNT_STAND_IN, undefined],
    [queueArn('dead', '<region of dev>'), queueArn('dead', '<region of prod>'), undefined],
    [queueArn('dead', '<region of dev>'), queueArn('dead'), undefined],
    [queueArn('dead', '<region of dev>'), queueArn('other'), false],
    [queueArn('<Test.Dead>', '<region of dev>'), queueArn('<Test.Other>'), false],
  ])('%s matches %s once deployed: %s', (pattern, text, matches) => {
    expect(matchesOnceDeployed(pattern, text)).toBe(matches);
  });

  test.each<[string, string, boolean]>([
    [queueArn('dead'), queueArn('dead'), true],
    [queueArn('dead', 'us-east-1'), queueArn('dead'), true],
    [queueArn('dead', 'us-east-1'), queueArn('other'), false],
    [queueArn('dead', 'us-east-1'), queueArn('<QueueName of Test.Dead>'), true],
    [queueArn('dead', 'us-east-1'), queueArn('<Test.Dead>'), false],
    [queueArn('dead', '<region of dev>'), queueArn('dead'), true],
    [queueArn('dead', '<region of dev>'), queueArn('dead', '<region of prod>'), false],
    ['https://sqs.eu-west-1.amazonaws.com/1/dead', 'https://sqs.<region>.amazonaws.com/<account>/dead', true],
    ['https://sqs.eu-west-1.amazonaws.com/1/dead', 'https://sqs.<region>.amazonaws.com/<account>/other', false],
  ])('%s may become one with %s: %s', (one, other, may) => {
    expect([mayBecomeOne(one, other), mayBecomeOne(other, one)]).toEqual([may, may]);
  });
});
