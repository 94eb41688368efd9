import { queueGuard } from '../../../diagnosis/fixes/grant-access';
import { letIn, mayAccess } from '../../../diagnosis/fixes/let-in';
import { policyOf, queue, queueArn, role, roleArn, UNKNOWN } from '../inventories';

const ACTION = 'sqs:SendMessage';
const asked = [{ roleArn: roleArn('bill'), action: ACTION, resource: queueArn('dead') }];
const own = role('bill', { Effect: 'Allow', Action: ACTION, Resource: '*' });

test.each<[what: string, action: string, condition: object | undefined, says: RegExp]>([
  [
    'every action',
    'sqs:*',
    undefined,
    /also denies sqs:SetQueueAttributes, .*: the root user of the account still may/,
  ],
  ['every action of some', 'sqs:*', { StringNotEquals: { 'aws:PrincipalTag/team': 'x' } }, /may also deny/],
  ['sending', ACTION, undefined, /^(?!.*also den)/],
])('a fix says whether a Deny of %s keeps out who applies it', (_, Action, Condition, says) => {
  const deny = { Effect: 'Deny', Principal: '*', Action, Resource: '*', ...(Condition && { Condition }) };
  const guard = queueGuard(queue('dead', { policy: policyOf(deny) }));
  expect(letIn({ asked, guard, role: own }).says).toMatch(says);
});

test('what an unknown boundary allows is unknown, and the fix says what it must allow', () => {
  const guard = queueGuard(queue('dead'));
  const boundary = { arn: UNKNOWN, document: UNKNOWN };
  const allowed = { asked, guard, role: { ...own, boundary } };
  expect(mayAccess(allowed)).toBe('unknown');
  expect(letIn(allowed)).toEqual({ says: expect.stringMatching(/^What the permissions boundary .* is unknown: /) });
  const denied = { asked, guard, role: { ...role('bill'), boundary } };
  expect(mayAccess(denied)).toBe('no');
  expect(letIn(denied).calls).toMatchObject([{ operation: 'PutRolePolicy' }]);
});
