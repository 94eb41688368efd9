import { matchesOnceDeployed } from '../../../template/stand-in';
import { inventoryOf, only, type Resources } from './read';

const GIVEN = { Ref: 'Given' };
const TARGET = { Id: '0', Arn: 'arn:aws:sqs:eu-west-1:123456789012:orders' };

/** The ARN of the one rule, schedule or role, of a stack with the parameter `Given`. */
function arnOf(Type: string, Properties: Resources): string {
  const { targets, roles } = inventoryOf({ It: { Type, Properties } }, { Parameters: { Given: { Type: 'String' } } });
  return only([...targets, ...roles]).arn;
}

const rule = (more: Resources = {}) => arnOf('AWS::Events::Rule', { Name: 'on-order', Targets: [TARGET], ...more });
const schedule = (more: Resources = {}) =>
  arnOf('AWS::Scheduler::Schedule', { Name: 'daily', Target: TARGET, ...more });
const role = (more: Resources = {}) => arnOf('AWS::IAM::Role', { RoleName: 'writer', ...more });

test('of what names no bus, group or path has AWS’s own', () => {
  expect(rule()).toBe('arn:aws:events:<region>:<account>:rule/on-order');
  expect(schedule()).toBe('arn:aws:scheduler:<region>:<account>:schedule/default/daily');
  expect(role()).toBe('arn:aws:iam::<account>:role/writer');
});

test('of what names one has that', () => {
  expect(rule({ EventBusName: 'orders-bus' })).toMatch(/:rule\/orders-bus\/on-order$/);
  expect(rule({ EventBusName: 'arn:aws:events:eu-west-1:123456789012:event-bus/orders-bus' })).toMatch(
    /:rule\/orders-bus\/on-order$/,
  );
  expect(schedule({ GroupName: 'nightly' })).toMatch(/:schedule\/nightly\/daily$/);
  expect(role({ Path: '/service-role/' })).toMatch(/:role\/service-role\/writer$/);
});

test.each([
  ['a bus', rule({ EventBusName: GIVEN }), ['rule/orders-bus/*', 'rule/on-order']],
  ['a group', schedule({ GroupName: GIVEN }), ['schedule/nightly/daily', 'schedule/default/daily']],
  ['a path', role({ Path: GIVEN }), ['role/service-role/writer', 'role/writer']],
])('of what a parameter gives %s may be either', (_, arn, resources) => {
  const [service] = arn.split(':<account>');
  const matches = resources.map(it => matchesOnceDeployed(`${service}:<account>:${it}`, arn));
  expect(matches).toEqual([undefined, undefined]);
});
