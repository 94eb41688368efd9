import { PropertyReader } from '../../../local/cloudformation';
import { AwsError } from '../../../local/kernel/aws-error';
import { deploy, evaluated, evaluationProblems, type Json, problemsOf, stack, thing } from './fixture';

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
    ['Cidr', { 'Fn::Cidr': ['10.0.0.0/16', 3, 8] }, ['10.0.0.0/24', '10.0.1.0/24', '10.0.2.0/24']],
    ['Cidr by text', { 'Fn::Cidr': ['192.168.7.9/24', '2', '5'] }, ['192.168.7.0/27', '192.168.7.32/27']],
    [
      'Cidr of IPv6',
      { 'Fn::Cidr': ['2001:db8:1234:1a00::/56', 2, 64] },
      ['2001:db8:1234:1a00::/64', '2001:db8:1234:1a01::/64'],
    ],
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
    [{ Ref: 'Gone' }, 'Ref names Gone, which the template does not declare'],
    [
      { 'Fn::Cidr': ['10.0.0.0/16', 257, 8] },
      'Fn::Cidr takes a CIDR block, a count of 1 to 256 and a number of bits, got ["10.0.0.0/16",257,8]',
    ],
    [{ 'Fn::Cidr': ['10.0.0.0/24', 2, 8] }, 'Fn::Cidr cannot make 2 blocks of 8 bits of 10.0.0.0/24'],
    [{ 'Fn::Cidr': ['10.0.0.256/16', 1, 8] }, 'Fn::Cidr cannot make 1 blocks of 8 bits of 10.0.0.256/16'],
    [{ 'Fn::Cidr': ['fd00::1::/56', 1, 8] }, 'Fn::Cidr cannot make 1 blocks of 8 bits of fd00::1::/56'],
    [{ Ref: ['Other'] }, 'Ref takes a name, got ["Other"]'],
    [{ 'Fn::GetAtt': ['Gone', 'Arn'] }, 'Fn::GetAtt names Gone, which the template does not declare'],
    [{ 'Fn::GetAtt': 'Other' }, 'Fn::GetAtt takes a logical id and an attribute, got "Other"'],
    [
      { 'Fn::GetAtt': ['Other', 'Url'] },
      'Fn::GetAtt asks for Other.Url: the attributes of Test::Thing in the embedded AWS are Arn, List',
    ],
    [{ 'Fn::Sub': `\${Gone}` }, 'Fn::Sub names Gone, which the template does not declare'],
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
    [{ 'Fn::If': ['Maybe', 1, 2] }, 'Fn::If names the condition Maybe, which the template does not declare'],
    [{ 'Fn::If': ['Yes', 1] }, 'Fn::If takes a condition\'s name and two values, got ["Yes",1]'],
    [{ 'Fn::ImportValue': 'Gone' }, 'Fn::ImportValue finds no export Gone in the stacks deployed before this one'],
    [{ 'Fn::Transform': { Name: 'x' } }, 'Fn::Transform is not implemented here, got {"Fn::Transform":{"Name":"x"}}'],
    [{ 'Fn::Length': [1] }, 'Fn::Length is not implemented here, got {"Fn::Length":[1]}'],
    [
      { 'Fn::Join': ['', []], more: 1 },
      'Fn::Join must be the only member of its object, got {"Fn::Join":["",[]],"more":1}',
    ],
  ])('%j is a problem of its property', async (value, problem) => {
    expect(await evaluationProblems(value, TEMPLATE)).toEqual([
      `App: It (Test::Thing): Properties.Value.x: ${problem}`,
    ]);
  });
});

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
      'Conditions.It: Fn::Contains is not a condition function, got {"Fn::Contains":[["a"],"a"]}',
    ],
    ['yes', 'Conditions.It: a condition is not a condition function, got "yes"'],
    [{ Condition: 'Gone' }, 'Conditions.It: Condition names the condition Gone, which the template does not declare'],
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
      'App: It (Test::Thing): Properties.Value.x: Ref names Dropped, which this deployment does not create',
    ]);
  });
});

const value = (declaration: Json): unknown => evaluated({ Ref: 'P' }, { Parameters: { P: declaration } });
const problems = (declaration: unknown, use: unknown = 'unused') =>
  evaluationProblems(use, { Parameters: { P: declaration } });

describe('a parameter', () => {
  it('has its default, unless a value is given, by the app or by whoever deploys', async () => {
    const template = {
      Parameters: { P: { Type: 'String', Default: 'd' } },
      Resources: { It: thing({ x: { Ref: 'P' } }) },
    };
    const seen = async (parameters: Readonly<Record<string, string>>, given: Readonly<Record<string, string>>) =>
      (await deploy([stack(template, { parameters })], { parameters: given })).creations[0]?.value;
    expect(await seen({}, {})).toEqual({ x: 'd' });
    expect(await seen({ P: 'app' }, {})).toEqual({ x: 'app' });
    expect(await seen({ P: 'app' }, { P: 'me' })).toEqual({ x: 'me' });
  });

  it('must be declared by a template to be given a value', async () => {
    const declaring = (name: string) => ({ Parameters: { [name]: { Type: 'String', Default: 'd' } }, Resources: {} });
    const parameters = { Stage: 'prod', Colour: 'red', Stagee: 'prod' };
    const two = [stack(declaring('Stage')), stack(declaring('Colour'), { name: 'Other' })];
    expect(await problemsOf(() => deploy(two, { parameters }))).toEqual([
      'parameter Stagee has a value, but no template declares it: the parameters are Stage, Colour',
    ]);
    expect(await problemsOf(() => deploy([stack({ Resources: {} })], { parameters: { Stage: 'prod' } }))).toEqual([
      'parameter Stage has a value, but no template declares it: the parameters are none',
    ]);
    expect(await problemsOf(() => deploy([stack(declaring('Stage'), { parameters: { Stag: 'prod' } })]))).toEqual([
      'App: the app gives parameter Stag a value, which the template does not declare',
    ]);
  });

  it('may be a list', async () => {
    expect(await value({ Type: 'List<Number>', Default: '1, 2' })).toEqual(['1', '2']);
  });

  it.each(['toString', 'constructor', 'valueOf'])('may be named %s, as every object has a member', async name => {
    const Parameters = { [name]: { Type: 'String', Default: 'd' } };
    expect(await evaluated({ Ref: name }, { Parameters })).toBe('d');
    expect(await evaluationProblems('unused', { Parameters: { [name]: { Type: 'String' } } })).toEqual([
      expect.stringContaining(`parameter ${name} has no default`),
    ]);
    expect(await evaluationProblems({ 'Fn::FindInMap': [name, 'a', 'b'] })).toEqual([
      expect.stringContaining('finds no a.b'),
    ]);
  });

  it.each<[Json, string]>([
    [
      { Type: 'String' },
      'has no default, and no value was given (dlo local: --parameter P=…; in the library: parameters)',
    ],
    [{ Type: 'Number', Default: 'five' }, 'must be a number, got "five"'],
    [{ Type: 'String', Default: 'x', AllowedValues: ['a', 'b'] }, 'must be one of ["a","b"], got "x"'],
    [{ Type: 'String', Default: 'x1', AllowedPattern: '[a-z]*' }, 'must match [a-z]*, got "x1"'],
    // A backtracking engine would need years.
    [
      { Type: 'String', Default: `${'a'.repeat(60)}!`, AllowedPattern: '(a+)+$' },
      `must match (a+)+$, got "${'a'.repeat(60)}!"`,
    ],
    [
      { Type: 'String', Default: 'x', AllowedPattern: '(x)\\1' },
      'must match (x)\\1, a regular expression that the embedded AWS cannot read, got "x"',
    ],
    [{ Type: 'String', Default: 'abc', MinLength: 4 }, 'must be 4 characters or longer, got "abc"'],
    [{ Type: 'String', Default: 'abc', MaxLength: 2 }, 'must be 2 characters or shorter, got "abc"'],
    [{ Type: 'Number', Default: 5, MinValue: 6 }, 'must be 6 or more, got "5"'],
    [
      { Type: 'Number', Default: 5, MaxValue: 4, AllowedValues: [1, 2] },
      'must be one of [1,2] and must be 4 or less, got "5"',
    ],
    [{ Type: 'Map<String>', Default: 'ami-1' }, 'is of type Map<String>, which the embedded AWS does not implement'],
  ])('%j is a problem, though nothing uses it', async (declaration, problem) => {
    expect(await problems(declaration)).toEqual([`App: parameter P ${problem}`]);
  });

  it.each<Json>([
    { Type: 'String', Default: 'a', AllowedValues: ['a', 'b'] },
    { Type: 'String', Default: 'abc', AllowedPattern: '[a-z]+', MinLength: 3, MaxLength: 3 },
    { Type: 'String', Default: 'abc', AllowedPattern: '(?i)[A-Z]+' },
    { Type: 'Number', Default: 5, MinValue: 5, MaxValue: 5 },
  ])('%j keeps its own rules', async declaration => {
    expect(await value(declaration)).toBe(String(declaration['Default']));
  });

  it("from SSM, such as CDK's BootstrapVersion, matters only once something refers to it", async () => {
    const declaration = { Type: 'AWS::SSM::Parameter::Value<String>', Default: '/cdk-bootstrap/hnb659fds/version' };
    expect(await problems(declaration)).toEqual([]);
    expect(await problems(declaration, { Ref: 'P' })).toEqual([
      'App: It (Test::Thing): Properties.Value.x: Ref cannot be evaluated: parameter P names "/cdk-bootstrap/hnb659fds/version" in SSM, which answers ParameterNotFound: Parameter /cdk-bootstrap/hnb659fds/version not found.',
    ]);
  });
});

describe('a property reader', () => {
  it('takes scalars as loosely as CloudFormation does', () => {
    const reader = new PropertyReader({ text: 5, flag: 'true', count: '12', no: false, list: ['a'] });
    expect(reader.string('text')).toBe('5');
    expect(reader.boolean('flag')).toBe(true);
    expect(reader.number('count')).toBe(12);
    expect(reader.boolean('no')).toBe(false);
    expect(reader.strings('list')).toEqual(['a']);
    expect([reader.string('gone'), reader.number('gone'), reader.boolean('gone'), reader.strings('gone')]).toEqual(
      Array(4).fill(undefined),
    );
    expect(reader.allProblems()).toEqual([]);
  });

  it('reads a document from an object, or from a string that holds one', () => {
    const reader = new PropertyReader({ object: { a: 1 }, text: '{"a":2}' });
    expect([reader.document('object'), reader.document('text'), reader.document('gone')]).toEqual([
      { a: 1 },
      { a: 2 },
      undefined,
    ]);
    expect(reader.allProblems()).toEqual([]);
  });

  it.each<[Json, (reader: PropertyReader) => unknown, string]>([
    [{ p: {} }, reader => reader.string('p'), 'must be a string'],
    [{ p: 'x' }, reader => reader.number('p'), 'must be a number'],
    [{ p: ' ' }, reader => reader.number('p'), 'must be a number'],
    [{ p: 'yes' }, reader => reader.boolean('p'), 'must be true or false'],
    [{ p: [1] }, reader => reader.strings('p'), 'must be a list of strings'],
    [{ p: 'x' }, reader => reader.document('p'), 'must be a JSON object'],
    [{ p: '[]' }, reader => reader.document('p'), 'must be a JSON object'],
    [{ p: 'x' }, reader => reader.object('p'), 'must be an object'],
    [{ p: [1] }, reader => reader.objects('p'), 'must be a list of objects'],
  ])('notes what is wrong with %j', (members, read, rule) => {
    const reader = new PropertyReader(members);
    read(reader);
    expect(reader.allProblems()).toEqual([{ property: 'p', rule, value: members['p'] }]);
  });

  it('notes what is missing, and answers something that lets the reading go on', () => {
    const reader = new PropertyReader({});
    expect(reader.requiredString('Name')).toBe('');
    expect(reader.notedProblems()).toEqual([{ property: 'Name', rule: 'is required', value: undefined }]);
  });

  it('notes what nobody read, down to the last member, unless it has no effect', () => {
    const reader = new PropertyReader({
      Colour: 'red',
      Tags: [],
      Nested: { Known: 1, Unknown: 2 },
      List: [{ A: 1 }, { B: 2 }],
      Untouched: { Inside: 1 },
    });
    reader.withoutEffect('Tags');
    reader.object('Nested')?.number('Known');
    for (const item of reader.objects('List')) item.number('A');
    expect(reader.notedProblems()).toEqual([]);
    const rule = 'is not implemented by the embedded AWS';
    expect(reader.allProblems()).toEqual([
      { property: 'Colour', rule, isOwnLimit: true, value: 'red' },
      { property: 'Untouched', rule, isOwnLimit: true, value: { Inside: 1 } },
      { property: 'Nested.Unknown', rule, isOwnLimit: true, value: 2 },
      { property: 'List[1].B', rule, isOwnLimit: true, value: 2 },
    ]);
  });

  it('makes an error of AWS the problem of the property that asked for it, and of nothing else', () => {
    const reader = new PropertyReader({ Nested: { Name: 'a b' } });
    const nested = reader.object('Nested');
    const name = nested?.requiredString('Name');
    const refuse = (error: Error) => () => {
      throw error;
    };
    expect(nested?.attempt('Name', () => name?.length)).toBe(3);
    expect(reader.allProblems()).toEqual([]);
    expect(nested?.attempt('Name', refuse(new AwsError('InvalidName', 'No spaces.')))).toBeUndefined();
    expect(() => nested?.attempt('Name', refuse(new TypeError('a bug')))).toThrow('a bug');
    expect(reader.allProblems()).toEqual([
      { property: 'Nested.Name', rule: 'is refused (InvalidName: No spaces.)', value: 'a b', isRefusal: true },
    ]);
  });
});
