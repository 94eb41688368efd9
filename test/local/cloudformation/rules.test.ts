import { deploy, type Json, problemsOf, stack, thing } from './fixture';

const Parameters = {
  Stage: { Type: 'String', Default: 'test' },
  Zones: { Type: 'CommaDelimitedList', Default: 'a,b' },
  Subnet: { Type: 'AWS::EC2::Subnet::Id', Default: 'subnet-1' },
  Version: { Type: 'AWS::SSM::Parameter::Value<String>', Default: '/cdk-bootstrap/version' },
};
const Stage = { Ref: 'Stage' };
const Zones = { Ref: 'Zones' };
const isStage = (name: string) => ({ 'Fn::Equals': [Stage, name] });

/** What a rule with this assertion complains of. */
const problems = (Assert: unknown, RuleCondition?: unknown) => {
  const Assertions = [{ Assert, AssertDescription: 'must hold' }];
  const template: Json = {
    Parameters,
    Rules: { It: { Assertions, ...(RuleCondition === undefined ? {} : { RuleCondition }) } },
    Resources: { A: thing({}) },
  };
  return problemsOf(() => deploy([stack(template)]));
};

const BROKEN = ['App: Rules.It: must hold'];

describe('an assertion of a rule', () => {
  test.each([
    ['Fn::Equals', isStage('test'), isStage('prod')],
    ['Fn::Not', { 'Fn::Not': [isStage('prod')] }, { 'Fn::Not': [isStage('test')] }],
    ['Fn::And', { 'Fn::And': [isStage('test'), isStage('test')] }, { 'Fn::And': [isStage('test'), isStage('prod')] }],
    ['Fn::Or', { 'Fn::Or': [isStage('prod'), isStage('test')] }, { 'Fn::Or': [isStage('prod'), isStage('beta')] }],
    ['Fn::Contains', { 'Fn::Contains': [['prod', 'test'], Stage] }, { 'Fn::Contains': [Zones, 'c'] }],
    ['Fn::EachMemberEquals', { 'Fn::EachMemberEquals': [['test'], Stage] }, { 'Fn::EachMemberEquals': [Zones, 'a'] }],
    ['Fn::EachMemberIn', { 'Fn::EachMemberIn': [Zones, ['a', 'b', 'c']] }, { 'Fn::EachMemberIn': [Zones, ['a']] }],
    [
      'Fn::RefAll',
      { 'Fn::EachMemberEquals': [{ 'Fn::RefAll': 'AWS::EC2::Subnet::Id' }, 'subnet-1'] },
      { 'Fn::Contains': [{ 'Fn::RefAll': 'AWS::EC2::Subnet::Id' }, 'subnet-2'] },
    ],
  ])('with %s refuses the stack when it is false', async (_, holds, broken) => {
    expect(await problems(holds)).toEqual([]);
    expect(await problems(broken)).toEqual(BROKEN);
  });

  test('is checked only under its condition', async () => {
    expect(await problems(isStage('prod'), isStage('prod'))).toEqual([]);
    expect(await problems(isStage('prod'), isStage('test'))).toEqual(BROKEN);
  });

  test('about a parameter from SSM is not checked', async () => {
    expect(await problems({ 'Fn::Not': [{ 'Fn::Contains': [['1', '2'], { Ref: 'Version' }] }] })).toEqual([]);
  });

  test.each([
    [
      { 'Fn::ValueOf': ['Subnet', 'VpcId'] },
      'App: Rules.It: Fn::ValueOf is not implemented in rules by the embedded AWS',
    ],
    [{ 'Fn::Equals': [{ Ref: 'Nothing' }, 'a'] }, /Rules\.It: Ref names Nothing, which the template does not declare/],
    ['maybe', 'App: Rules.It: a condition must be true or false, got "maybe"'],
  ])('%j is refused', async (assertion, problem) => {
    const found = await problems(assertion);
    expect(found).toEqual([typeof problem === 'string' ? problem : expect.stringMatching(problem)]);
  });
});
