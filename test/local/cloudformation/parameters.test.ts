import { deploy, evaluated, evaluationProblems, type Json, problemsOf, stack, thing } from './fixture';

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
      'parameter Stagee is given a value, and no template declares it; the parameters are Stage, Colour',
    ]);
    expect(await problemsOf(() => deploy([stack({ Resources: {} })], { parameters: { Stage: 'prod' } }))).toEqual([
      'parameter Stage is given a value, and no template declares it; the parameters are none',
    ]);
    expect(await problemsOf(() => deploy([stack(declaring('Stage'), { parameters: { Stag: 'prod' } })]))).toEqual([
      'App: the app gives parameter Stag a value, which the template does not declare',
    ]);
  });

  it('may be a list', async () => {
    expect(await value({ Type: 'List<Number>', Default: '1, 2' })).toEqual(['1', '2']);
  });

  it.each<[Json, string]>([
    [{ Type: 'String' }, 'has no default, and no value was given'],
    [{ Type: 'Number', Default: 'five' }, 'must be a number, got "five"'],
    [{ Type: 'String', Default: 'x', AllowedValues: ['a', 'b'] }, 'must be one of ["a","b"], got "x"'],
    [{ Type: 'String', Default: 'x1', AllowedPattern: '[a-z]*' }, 'must match [a-z]*, got "x1"'],
    [
      { Type: 'String', Default: 'x', AllowedPattern: '(?i)X' },
      'must match (?i)X, which is no regular expression the embedded AWS can read, got "x"',
    ],
    [{ Type: 'String', Default: 'abc', MinLength: 4 }, 'must be 4 characters or longer, got "abc"'],
    [{ Type: 'String', Default: 'abc', MaxLength: 2 }, 'must be 2 characters or shorter, got "abc"'],
    [{ Type: 'Number', Default: 5, MinValue: 6 }, 'must be 6 or more, got "5"'],
    [
      { Type: 'Number', Default: 5, MaxValue: 4, AllowedValues: [1, 2] },
      'must be one of [1,2] and must be 4 or less, got "5"',
    ],
    [
      { Type: 'AWS::EC2::Image::Id', Default: 'ami-1' },
      'is of type AWS::EC2::Image::Id, which the embedded AWS does not implement',
    ],
  ])('%j is a problem, though nothing uses it', async (declaration, problem) => {
    expect(await problems(declaration)).toEqual([`App: parameter P ${problem}`]);
  });

  it.each<Json>([
    { Type: 'String', Default: 'a', AllowedValues: ['a', 'b'] },
    { Type: 'String', Default: 'abc', AllowedPattern: '[a-z]+', MinLength: 3, MaxLength: 3 },
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
