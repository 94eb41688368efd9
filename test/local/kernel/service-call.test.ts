import { AwsError } from '../../../local/kernel/aws-error';
import {
  accountOf,
  administrator,
  callerName,
  type Latency,
  notAuthorized,
  principalArn,
  roleCaller,
  serviceCaller,
} from '../../../local/kernel/caller';
import { callService, isThrottling, isTransient } from '../../../local/kernel/service-call';
import { Timeline, WorkFailed } from '../../../local/kernel/timeline';

describe('service call', () => {
  const OUTAGE = new AwsError('ServiceUnavailable', 'out of order', 503);

  /** What becomes of a call, and when. */
  async function end(call: (latency: Latency) => unknown): Promise<readonly (readonly [number, unknown])[]> {
    const timeline = new Timeline(0);
    const ends: (readonly [number, unknown])[] = [];
    callService(timeline, call, {
      answered: value => ends.push([timeline.nowMs, value]),
      refused: error => ends.push([timeline.nowMs, error]),
    });
    await timeline.runUntilIdle();
    return ends;
  }

  const late =
    (ms: number, then: () => unknown) =>
    (latency: Latency): unknown => {
      latency.ms = ms;
      return then();
    };

  describe('a call of another service', () => {
    it.each([
      ['a value', () => 'taken', 'taken'],
      ['a promise', async () => 'taken', 'taken'],
      ['an error', () => refuse(), OUTAGE],
      ['a promise of an error', async () => refuse(), OUTAGE],
    ])('ends when %s is there, however late', async (_, answer, ended) => {
      expect(await end(answer)).toEqual([[0, ended]]);
      expect(await end(late(3000, answer))).toEqual([[3000, ended]]);
    });

    it('hides no error that is not AWS’s', async () => {
      const bug = (): never => {
        throw new TypeError('a bug');
      };
      await expect(end(bug)).rejects.toThrow(new TypeError('a bug'));
      await expect(end(async () => bug())).rejects.toBeInstanceOf(WorkFailed);
    });
  });

  function refuse(): never {
    throw OUTAGE;
  }

  it.each([
    ['ServiceUnavailable', 503, true, false],
    ['Throttling', 400, true, true],
    ['RequestThrottled', 403, true, true],
    ['TooManyRequestsException', 429, true, true],
    ['NotImplemented', 501, false, false],
    ['AccessDenied', 403, false, false],
    ['NotFound', 404, false, false],
  ])('%s (%s) may go well later: %s', (code, httpStatus, transient, throttling) => {
    const error = new AwsError(code, 'text', httpStatus);
    expect(isTransient(error)).toBe(transient);
    expect(isThrottling(error)).toBe(throttling);
  });
});

const ROLE_ARN = 'arn:aws-cn:iam::123456789012:role/path/Billing';
const TOPIC_ARN = 'arn:aws-cn:sns:cn-north-1:123456789012:Orders';

describe('who a caller is, in the partition aws-cn', () => {
  test.each([
    ['an administrator', administrator('123456789012'), '123456789012', 'arn:aws-cn:iam::123456789012:root'],
    ['a role', roleCaller(ROLE_ARN), '123456789012', ROLE_ARN],
  ])('%s', (_who, caller, account, arn) => {
    expect(accountOf(caller)).toBe(account);
    expect(principalArn(caller, 'aws-cn')).toBe(arn);
    expect(callerName(caller, 'aws-cn')).toBe(arn);
  });

  test('a service belongs to no account, whomever it calls for, and has no ARN', () => {
    const caller = serviceCaller('sns.amazonaws.com', TOPIC_ARN, '123456789012');
    expect(accountOf(caller)).toBeUndefined();
    expect(principalArn(caller, 'aws-cn')).toBeUndefined();
    expect(callerName(caller, 'aws-cn')).toBe('sns.amazonaws.com');
  });

  test('as the refusal of a call tells it', () => {
    expect(notAuthorized(administrator('123456789012'), 'aws-cn', 'sns:Publish', TOPIC_ARN)).toBe(
      `User: arn:aws-cn:iam::123456789012:root is not authorized to perform: sns:Publish on resource: ${TOPIC_ARN}`,
    );
  });
});
