import { deploy, evaluated, evaluationProblems, type Json, problemsOf, stack, thing } from './fixture';

const decide = (condition: unknown, others: Json = {}, template: Json = {}): unknown =>
  evaluated({ 'Fn::If': ['It', 'yes', 'no'] }, { ...template, Conditions: { ...others, It: condition } });

const T = { 'Fn::Equals': ['a', 'a'] };
const F = { 'Fn::Equals': ['a', 'b'] };

describe('a condition', () => {
  it.each<[unknown, string]>([
    [T, 'yes'],
    [F, 'no'],
    [{ 'Fn::Equals': [true, 'true'] }, 'yes'],
    [{ 'Fn::Equals': [{ Ref: 'AWS::Region' }, 'us-east-1'] }, 'yes'],
    [{ 'Fn::Equals': [{ Ref: 'Stage' }, 'prod'] }, 'no'],
    [{ 'Fn::Equals': [{ 'Fn::FindInMap': ['M', 'a', 'b'] }, 'c'] }, 'yes'],
    [
      {
        'Fn::Equals': [
          ['a', 'b'],
          ['a', 'b'],
        ],
      },
      'yes',
    ],
    [{ 'Fn::Not': [F] }, 'yes'],
    [{ 'Fn::And': [T, T, T] }, 'yes'],
    [{ 'Fn::And': [T, F] }, 'no'],
    [{ 'Fn::Or': [F, T] }, 'yes'],
    [{ 'Fn::Or': [F, F] }, 'no'],
    [{ 'Fn::And': [{ Condition: 'Named' }, { 'Fn::Not': [{ Condition: 'Named' }] }] }, 'no'],
    [{ Condition: 'Named' }, 'yes'],
  ])('%j: %s', async (condition, expected) => {
    const template = {
      Parameters: { Stage: { Type: 'String', Default: 'dev' } },
      Mappings: { M: { a: { b: 'c' } } },
    };
    expect(await decide(condition, { Named: T }, template)).toBe(expected);
  });

  it.each<[unknown, string]>([
    [{ 'Fn::Equals': ['a'] }, 'Conditions.It: Fn::Equals takes two values, got ["a"]'],
    [{ 'Fn::And': [T] }, 'Conditions.It: Fn::And takes 2 to 10 conditions, got [{"Fn::Equals":["a","a"]}]'],
    [{ 'Fn::Not': T }, 'Conditions.It: Fn::Not takes one condition in a list, got {"Fn::Equals":["a","a"]}'],
    [
      { 'Fn::Contains': [['a'], 'a'] },
      'Conditions.It: Fn::Contains is no condition function, got {"Fn::Contains":[["a"],"a"]}',
    ],
    ['yes', 'Conditions.It: a condition is no condition function, got "yes"'],
    [{ Condition: 'Gone' }, 'Conditions.It: Condition names the condition Gone, which the template lacks'],
    [
      { 'Fn::Equals': [{ Ref: 'Other' }, 'a'] },
      'Conditions.It: Ref names the resource Other, and conditions cannot depend on resources',
    ],
    [
      { 'Fn::Equals': [{ 'Fn::GetAtt': 'Other.Arn' }, 'a'] },
      'Conditions.It: Fn::GetAtt names the resource Other, and conditions cannot depend on resources',
    ],
    [
      { 'Fn::Equals': [{ 'Fn::GetStackOutput': { StackName: 'x', OutputName: 'y' } }, 'a'] },
      'Conditions.It: Fn::GetStackOutput cannot be used in conditions',
    ],
    [
      { 'Fn::Equals': [{ 'Fn::ImportValue': 'x' }, 'a'] },
      'Conditions.It: Fn::ImportValue cannot be used in conditions',
    ],
    [{ 'Fn::Not': [{ Condition: 'It' }] }, 'Conditions.It depends on itself: It -> It'],
  ])('%j is a problem, though nothing uses it', async (condition, problem) => {
    expect(await evaluationProblems('unused', { Conditions: { It: condition } })).toEqual([`App: ${problem}`]);
  });

  it('decides which resources and outputs there are', async () => {
    const { stacks, creations } = await deploy([
      stack({
        Conditions: { Yes: T, No: F },
        Resources: {
          Kept: thing({}, { Condition: 'Yes' }),
          Dropped: thing({ x: { 'Fn::Nonsense': 1 } }, { Condition: 'No', Type: 'Test::Unknown' }),
          Waits: thing({}, { DependsOn: ['Dropped', 'Kept'] }),
        },
        Outputs: { Kept: { Value: '1', Condition: 'Yes' }, Dropped: { Value: { Ref: 'Dropped' }, Condition: 'No' } },
      }),
    ]);
    expect(creations.map(({ logicalId }) => logicalId)).toEqual(['Kept', 'Waits']);
    expect(stacks[0]?.outputs).toEqual({ Kept: '1' });
  });

  it('that leaves a resource out makes a reference to it a problem', async () => {
    const Resources = { Dropped: thing({}, { Condition: 'No' }), It: thing({ x: { Ref: 'Dropped' } }) };
    expect(await problemsOf(() => deploy([stack({ Conditions: { No: F }, Resources })]))).toEqual([
      'App: It (Test::Thing): Properties.Value.x: Ref names Dropped, which this deploy does not create',
    ]);
  });
});
