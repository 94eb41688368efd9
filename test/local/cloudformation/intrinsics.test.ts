import { evaluated, evaluationProblems, type Json } from './fixture';

const TEMPLATE: Json = {
  Parameters: {
    Size: { Type: 'Number', Default: 5 },
    Zones: { Type: 'CommaDelimitedList', Default: 'a, b,c' },
  },
  Mappings: { Sizes: { 'us-east-1': { small: 1, names: ['x', 'y'] } } },
  Conditions: { Yes: { 'Fn::Equals': ['1', 1] }, No: { 'Fn::Not': [{ Condition: 'Yes' }] } },
};

const OTHER_ARN = 'arn:aws:test:us-east-1:123456789012:other';

describe('an intrinsic function', () => {
  it.each<[string, unknown, unknown]>([
    ['Ref of a resource', { Ref: 'Other' }, 'other'],
    ['Ref of a number parameter', { Ref: 'Size' }, '5'],
    ['Ref of a list parameter', { Ref: 'Zones' }, ['a', 'b', 'c']],
    ['Ref of the account', { Ref: 'AWS::AccountId' }, '123456789012'],
    ['Ref of the Region', { Ref: 'AWS::Region' }, 'us-east-1'],
    ['Ref of the partition', { Ref: 'AWS::Partition' }, 'aws'],
    ['Ref of the URL suffix', { Ref: 'AWS::URLSuffix' }, 'amazonaws.com'],
    ['Ref of the stack name', { Ref: 'AWS::StackName' }, 'App'],
    [
      'Ref of the stack id',
      { Ref: 'AWS::StackId' },
      expect.stringMatching(/^arn:aws:cloudformation:us-east-1:123456789012:stack\/App\/[0-9a-f-]{36}$/),
    ],
    ['Ref of the notification ARNs', { Ref: 'AWS::NotificationARNs' }, []],
    ['GetAtt as a list', { 'Fn::GetAtt': ['Other', 'Arn'] }, OTHER_ARN],
    ['GetAtt as a string', { 'Fn::GetAtt': 'Other.Arn' }, OTHER_ARN],
    [
      'Sub of a string',
      { 'Fn::Sub': `\${AWS::Region}/\${Other}/\${Other.Arn}/\${Size}` },
      `us-east-1/other/${OTHER_ARN}/5`,
    ],
    ['Sub of a literal', { 'Fn::Sub': `\${!Other} $ {}` }, `\${Other} $ {}`],
    ['Sub with variables', { 'Fn::Sub': [`\${It}-\${Other}`, { It: { Ref: 'Size' } }] }, '5-other'],
    ['Join', { 'Fn::Join': ['-', ['a', { Ref: 'Other' }, 5, true]] }, 'a-other-5-true'],
    ['Join of a list parameter', { 'Fn::Join': ['', { Ref: 'Zones' }] }, 'abc'],
    ['Join without its NoValues', { 'Fn::Join': [',', ['a', { Ref: 'AWS::NoValue' }]] }, 'a'],
    ['Select', { 'Fn::Select': [1, ['a', { Ref: 'Other' }]] }, 'other'],
    [
      'Select by text, of a Split of a GetAtt',
      { 'Fn::Select': ['5', { 'Fn::Split': [':', { 'Fn::GetAtt': ['Other', 'Arn'] }] }] },
      'other',
    ],
    ['Split', { 'Fn::Split': [',', 'a,b'] }, ['a', 'b']],
    ['Base64', { 'Fn::Base64': { 'Fn::Sub': `\${Other}!` } }, 'b3RoZXIh'],
    ['FindInMap', { 'Fn::FindInMap': ['Sizes', { Ref: 'AWS::Region' }, 'small'] }, 1],
    ['FindInMap of a list', { 'Fn::FindInMap': ['Sizes', 'us-east-1', 'names'] }, ['x', 'y']],
    ['If, true', { 'Fn::If': ['Yes', { Ref: 'Other' }, 'no'] }, 'other'],
    ['If, false', { 'Fn::If': ['No', { 'Fn::Nonsense': 1 }, 'no'] }, 'no'],
    ['If of a NoValue in a list', ['a', { 'Fn::If': ['No', 'b', { Ref: 'AWS::NoValue' }] }], ['a']],
    ['NoValue of a property', { a: 1, b: { Ref: 'AWS::NoValue' } }, { a: 1 }],
    ['GetAZs', { 'Fn::GetAZs': '' }, ['us-east-1a', 'us-east-1b', 'us-east-1c']],
    ['GetAZs of another Region', { 'Fn::Select': [0, { 'Fn::GetAZs': 'eu-west-1' }] }, 'eu-west-1a'],
    [
      'what is none',
      { Condition: { Ref: 'Other', more: [null, 1.5] } },
      { Condition: { Ref: 'Other', more: [null, 1.5] } },
    ],
  ])('%s', async (_, value, expected) => {
    expect(await evaluated(value, TEMPLATE)).toEqual(expected);
  });

  it.each<[unknown, string]>([
    [{ Ref: 'Gone' }, 'Ref names Gone, which the template lacks'],
    [{ Ref: ['Other'] }, 'Ref takes a name, got ["Other"]'],
    [{ 'Fn::GetAtt': ['Gone', 'Arn'] }, 'Fn::GetAtt names Gone, which the template lacks'],
    [{ 'Fn::GetAtt': 'Other' }, 'Fn::GetAtt takes a logical id and an attribute, got "Other"'],
    [
      { 'Fn::GetAtt': ['Other', 'Url'] },
      'Fn::GetAtt asks for Other.Url: the attributes of Test::Thing in the embedded AWS are Arn, List',
    ],
    [{ 'Fn::Sub': `\${Gone}` }, 'Fn::Sub names Gone, which the template lacks'],
    [{ 'Fn::Sub': `\${Zones}` }, `Fn::Sub \${Zones} must be a string, got ["a","b","c"]`],
    [{ 'Fn::Sub': ['x'] }, 'Fn::Sub takes a string, or a string and its variables, got ["x"]'],
    [{ 'Fn::Join': ['-'] }, 'Fn::Join takes a delimiter and a list, got ["-"]'],
    [{ 'Fn::Join': ['-', 'x'] }, 'Fn::Join takes a list to join, got "x"'],
    [{ 'Fn::Join': ['-', [{ a: 1 }]] }, 'Fn::Join joins only strings, got {"a":1}'],
    [{ 'Fn::Select': [3, ['a']] }, 'Fn::Select has no item 3 in ["a"]'],
    [{ 'Fn::Select': ['x', ['a']] }, 'Fn::Select takes an index and a list, got ["x",["a"]]'],
    [{ 'Fn::Split': ['', 'x'] }, 'Fn::Split takes a delimiter and a string, got ["","x"]'],
    [{ 'Fn::Split': [',', ['x']] }, 'Fn::Split takes a string, got ["x"]'],
    [
      { 'Fn::FindInMap': ['Sizes', 'eu-west-1', 'small'] },
      'Fn::FindInMap finds no eu-west-1.small in the mapping Sizes',
    ],
    [
      { 'Fn::FindInMap': ['Sizes', 'small'] },
      'Fn::FindInMap takes a mapping\'s name and two keys, got ["Sizes","small"]',
    ],
    [{ 'Fn::If': ['Maybe', 1, 2] }, 'Fn::If names the condition Maybe, which the template lacks'],
    [{ 'Fn::If': ['Yes', 1] }, 'Fn::If takes a condition\'s name and two values, got ["Yes",1]'],
    [{ 'Fn::ImportValue': 'Gone' }, 'Fn::ImportValue finds no stack deployed before this one that exports Gone'],
    [{ 'Fn::Transform': { Name: 'x' } }, 'Fn::Transform is not implemented here, got {"Fn::Transform":{"Name":"x"}}'],
    [{ 'Fn::Cidr': ['10.0.0.0/16', 1] }, 'Fn::Cidr is not implemented here, got {"Fn::Cidr":["10.0.0.0/16",1]}'],
    [{ 'Fn::Join': ['', []], more: 1 }, 'Fn::Join must stand alone in its object, got {"Fn::Join":["",[]],"more":1}'],
  ])('%j is a problem of its property', async (value, problem) => {
    expect(await evaluationProblems(value, TEMPLATE)).toEqual([
      `App: It (Test::Thing): Properties.Value.x: ${problem}`,
    ]);
  });
});
