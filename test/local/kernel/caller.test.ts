import {
  accountOf,
  administrator,
  callerName,
  notAuthorized,
  principalArn,
  roleCaller,
  serviceCaller,
} from '../../../local/kernel/caller';

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
