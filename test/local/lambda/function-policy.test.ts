import { evaluateAccess } from '../../../local/iam/evaluate';
import { roleCaller } from '../../../local/kernel/caller';
import { functionPolicy } from '../../../local/lambda/function/function-policy';

const PLACE = { account: '123456789012', region: 'cn-north-1', partition: 'aws-cn', urlSuffix: 'amazonaws.com.cn' };
const FUNCTION_ARN = 'arn:aws-cn:lambda:cn-north-1:123456789012:function:f';
const PERMISSION = { statementId: 'it', action: 'lambda:InvokeFunction' };

describe('the policy of a function in the partition aws-cn', () => {
  test('names an account by its ARN there', () => {
    const policy = functionPolicy(FUNCTION_ARN, [{ ...PERMISSION, principal: '999999999999' }]);
    expect(policy?.Statement).toMatchObject([{ Principal: { AWS: 'arn:aws-cn:iam::999999999999:root' } }]);
  });

  test('lets in a role of that partition, by its ARN', () => {
    const roleArn = 'arn:aws-cn:iam::123456789012:role/Caller';
    const decide = (principal: string) =>
      evaluateAccess({
        request: {
          caller: roleCaller(roleArn),
          action: PERMISSION.action,
          resource: FUNCTION_ARN,
          resourcePolicy: functionPolicy(FUNCTION_ARN, [{ ...PERMISSION, principal }]),
        },
        identity: { kind: 'policies', policies: [] },
        place: PLACE,
        clock: { nowMs: 0 },
      }).allowed;
    expect(decide(roleArn)).toBe(true);
    expect(decide('arn:aws:iam::123456789012:role/Caller')).toBe(false);
  });
});
