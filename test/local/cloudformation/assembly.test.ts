import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Manifest } from 'aws-cdk-lib/cloud-assembly-schema';
import { AssemblyError, environmentsOf, readAssembly, type StackArtifact } from '../../../local/cloudformation';
import { EXAMPLE_PLACE } from '../../../local/kernel/place';
import { type Json, problemsAtOnce, stack } from './fixture';

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'assembly-'));
});

afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

/** Writes files under the assembly's directory: text as it is, anything else as JSON. */
function write(files: Readonly<Record<string, unknown>>): void {
  for (const [name, content] of Object.entries(files)) {
    const path = join(directory, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  }
}

function stackArtifact(templateFile: string, more: Json = {}, properties: Json = {}): Json {
  const environment = 'aws://unknown-account/unknown-region';
  return { type: 'aws:cloudformation:stack', environment, properties: { templateFile, ...properties }, ...more };
}

const assetManifest = (file: string): Json => ({ type: 'cdk:asset-manifest', properties: { file } });
const manifest = (artifacts: Json, more: Json = {}): Json => ({ version: '55.0.0', artifacts, ...more });
const problems = (): readonly string[] => problemsAtOnce(() => readAssembly(directory));
const EMPTY = { Resources: {} };

describe('a cloud assembly', () => {
  it('gives its stacks, each after those it depends on, with everything they say of themselves', () => {
    write({
      'manifest.json': manifest({
        Tree: { type: 'cdk:tree', properties: { file: 'tree.json' } },
        flags: { type: 'cdk:feature-flag-report', properties: {} },
        App: stackArtifact(
          'App.template.json',
          {
            environment: 'aws://123456789012/us-east-1',
            dependencies: ['Base', 'App.assets'],
            metadata: { '/App/Inline': [{ type: 'aws:cdk:logicalId', data: 'InlineId' }] },
            additionalMetadataFile: 'App.metadata.json',
          },
          {
            stackName: 'the-app',
            parameters: { Size: '5' },
            notificationArns: ['arn:aws:sns:us-east-1:123456789012:cfn'],
          },
        ),
        Base: stackArtifact('Base.template.json'),
        'App.assets': assetManifest('App.assets.json'),
      }),
      'App.template.json': { Resources: { It: { Type: 'T' } } },
      'Base.template.json': EMPTY,
      'App.metadata.json': {
        '/App/It/Resource': [
          { type: 'aws:cdk:logicalId', data: 'ItId' },
          { type: 'aws:cdk:info', data: 'x' },
        ],
      },
      'App.assets.json': {
        files: {
          abc: {
            source: { path: 'asset.abc', packaging: 'zip' },
            destinations: {
              one: { bucketName: 'b', objectKey: 'abc.zip' },
              two: { bucketName: 'c', objectKey: 'other/abc.zip' },
            },
          },
        },
        dockerImages: {},
      },
      'asset.abc/index.js': 'exports.handler = () => {};',
    });
    const { stacks } = readAssembly(directory);
    expect(stacks.map(({ name }) => name)).toEqual(['Base', 'the-app']);
    const assets = new Map([
      ['abc.zip', join(directory, 'asset.abc')],
      ['other/abc.zip', join(directory, 'asset.abc')],
    ]);
    expect(stacks[1]).toEqual({
      name: 'the-app',
      template: { Resources: { It: { Type: 'T' } } },
      environment: { account: '123456789012', region: 'us-east-1' },
      parameters: { Size: '5' },
      notificationArns: ['arn:aws:sns:us-east-1:123456789012:cfn'],
      paths: new Map([
        ['InlineId', 'App/Inline'],
        ['ItId', 'App/It/Resource'],
      ]),
      constructs: [
        { path: 'App/Inline', logicalId: 'InlineId' },
        { path: 'App/It/Resource', logicalId: 'ItId' },
      ],
      assets,
    });
    expect(stacks[0]).toMatchObject({ environment: {}, parameters: {}, paths: new Map(), assets });
  });

  it('gives the stacks of its stages too, with the assets of their own assemblies', () => {
    write({
      'manifest.json': manifest({
        'assembly-Prod': { type: 'cdk:cloud-assembly', properties: { directoryName: 'assembly-Prod' } },
      }),
      'assembly-Prod/manifest.json': manifest({
        ProdApp: stackArtifact('t.json', {}, { stackName: 'Prod-App' }),
        A: assetManifest('a.json'),
      }),
      'assembly-Prod/t.json': EMPTY,
      'assembly-Prod/a.json': {
        files: { x: { source: { path: '../asset.x' }, destinations: { d: { objectKey: 'x.zip' } } } },
      },
      'asset.x': 'zip',
    });
    const { stacks } = readAssembly(directory);
    expect(stacks.map(({ name, assets }) => [name, assets.get('x.zip')])).toEqual([
      ['Prod-App', join(directory, 'asset.x')],
    ]);
  });
});

describe('a cloud assembly that cannot be read', () => {
  it('because there is none', () => {
    const gone = join(directory, 'gone');
    expect(() => readAssembly(gone)).toThrow(
      new AssemblyError([
        `there is no cloud assembly at ${gone}: run "cdk synth" first, or name its directory or a template`,
      ]),
    );
    expect(() => readAssembly(`${gone}.yaml`)).toThrow(new AssemblyError([`there is no template at ${gone}.yaml`]));
    write({ 'a-file': '' });
    expect(problemsAtOnce(() => readAssembly(join(directory, 'a-file')))).toHaveLength(1);
  });

  it('because it has no manifest', () => {
    expect(problems()).toEqual([
      `${directory} is not a cloud assembly, because it has no manifest.json: run "cdk synth" first`,
    ]);
  });

  it.each<[string, unknown, string]>([
    ['is cut off', '{"version": "55.0.0", "artifa', '/manifest.json is not JSON: Unexpected end-of-input: '],
    ['holds no object', '[]', '/manifest.json must hold a JSON object'],
    ['holds artifacts of no shape', { version: '1.0.0', artifacts: [] }, '/manifest.json artifacts must be an object'],
    ['has no stacks', manifest({}), ' has no stacks'],
    ['has no version', { artifacts: {} }, '/manifest.json: version is required'],
    ['has a version that is none', manifest({ X: { type: 'aws:future' } }, { version: 'soon' }), 'schema, got "soon"'],
    ['has a version that is no text', manifest({}, { version: 55 }), 'schema, got 55'],
    [
      'is of a schema yet to come',
      manifest({ X: { type: 'aws:future' } }, { version: '56.0.0' }),
      '/manifest.json: version must be a version up to 55.x.x of the cloud assembly schema, got "56.0.0": ' +
        'synthesize with an earlier aws-cdk-lib, or update dead-letter-office',
    ],
  ])('because its manifest %s', (_, content, problem) => {
    write({ 'manifest.json': content });
    expect(problems()).toEqual([expect.stringContaining(problem)]);
  });

  it('but not because of the schema that the CDK of this package writes, or wrote before', () => {
    for (const version of [Manifest.version(), '36.0.0', '55.9.1']) {
      write({ 'manifest.json': manifest({ X: stackArtifact('x.json') }, { version }), 'x.json': EMPTY });
      expect(readAssembly(directory).stacks).toHaveLength(1);
    }
  });

  it('because an artifact is of a type nobody knows', () => {
    write({ 'manifest.json': manifest({ X: { type: 'aws:future' } }) });
    expect(problems()).toEqual([
      `${directory}/manifest.json: artifact X is of type "aws:future", which the embedded AWS does not implement`,
    ]);
  });

  it('tells everything that is wrong at once, and files by their path', () => {
    write({
      'manifest.json': manifest(
        {
          Gone: stackArtifact('gone.json'),
          Broken: stackArtifact('broken.json', { dependencies: ['Nobody'], additionalMetadataFile: 'lost.json' }),
          Nameless: { type: 'aws:cloudformation:stack' },
          Stage: { type: 'cdk:cloud-assembly', properties: { directoryName: 'stage' } },
          Aimless: { type: 'cdk:cloud-assembly', properties: {} },
          Assets: assetManifest('assets.json'),
          NoFile: { type: 'cdk:asset-manifest', properties: {} },
        },
        { missing: [{ key: 'availability-zones:account=1', provider: 'availability-zones', props: {} }] },
      ),
      'broken.json': '{"Resources":',
      'assets.json': {
        files: {
          a: { displayName: 'Billing/Code', source: { path: 'asset.a' }, destinations: {} },
          b: { source: {}, destinations: {} },
          made: { source: { executable: ['zip'] }, destinations: {} },
          c: { source: { path: 'assets.json' }, destinations: { d: { bucketName: 'b' } } },
        },
        dockerImages: { i: {} },
      },
    });
    const starts = [
      `${directory}/manifest.json: the context value availability-zones:account=1 is missing`,
      `${directory}/assets.json: asset Billing/Code is missing: there is nothing at ${directory}/asset.a`,
      `${directory}/assets.json: asset b has no source.path`,
      `${directory}/assets.json files.c.destinations.d.objectKey is required`,
      `${directory}/manifest.json: the asset manifest NoFile has no file`,
      `${directory}/manifest.json: artifact Broken depends on Nobody, which is not in the manifest`,
      `${directory}/gone.json does not exist`,
      `${directory}/broken.json is not JSON: `,
      `${directory}/lost.json does not exist`,
      `${directory}/manifest.json: stack Nameless has no templateFile`,
      `${directory}/stage is not a cloud assembly`,
      `${directory}/manifest.json: the nested assembly Aimless has no directoryName`,
    ];
    expect(problems()).toEqual(
      starts.map(start => expect.stringMatching(new RegExp(`^${start.replace(/[.[\]\\/]/g, '\\$&')}`))),
    );
  });

  it('because a file is no file', () => {
    write({ 'manifest.json': manifest({ App: stackArtifact('folder') }), 'folder/x': '' });
    expect(problems()).toEqual([expect.stringMatching(/\/folder cannot be read: EISDIR/)]);
  });

  it('because its artifacts depend on each other in a circle', () => {
    write({
      'manifest.json': manifest({
        A: stackArtifact('t.json', { dependencies: ['B'] }),
        B: stackArtifact('t.json', { dependencies: ['A'] }),
      }),
    });
    expect(problems()).toContain(`${directory}/manifest.json: artifacts depend on each other in a cycle: A -> B -> A`);
  });

  it('because the app itself reports an error, as CDK refuses it too', () => {
    const metadata = { '/App/Topic': [{ type: 'aws:cdk:error', data: 'this topic loses messages' }] };
    write({ 'manifest.json': manifest({ App: stackArtifact('t.json', { metadata }) }), 't.json': EMPTY });
    expect(problems()).toEqual(['App: the app reports an error at App/Topic: this topic loses messages']);
  });

  it('says so in one message that holds a line for each problem, and no stack trace', () => {
    const error = new AssemblyError(['first', 'second']);
    expect(error.message).toBe('first\nsecond');
    expect(error.name).toBe('AssemblyError');
  });
});

it('the default place is that of the stacks if they name only one, otherwise the given one, otherwise that of the first stack', () => {
  const open = stack(EMPTY);
  const pinned = stack(EMPTY, { name: 'Pinned', environment: { account: '111111111111', region: 'cn-north-1' } });
  const placeOf = (stacks: readonly StackArtifact[], given = {}) => environmentsOf(stacks, given, EXAMPLE_PLACE).place;
  expect(placeOf([open])).toEqual(EXAMPLE_PLACE);
  expect(placeOf([open, pinned], { account: '222222222222' })).toEqual({
    account: '111111111111',
    region: 'cn-north-1',
    partition: 'aws-cn',
    urlSuffix: 'amazonaws.com.cn',
  });
  const elsewhere = stack(EMPTY, { name: 'Elsewhere', environment: { region: 'eu-west-1' } });
  expect(placeOf([pinned, elsewhere])).toMatchObject({ region: 'cn-north-1', partition: 'aws-cn' });
  expect(placeOf([pinned, elsewhere], { region: 'eu-west-1' })).toMatchObject({ region: 'eu-west-1' });
  expect(environmentsOf([open, pinned, elsewhere], {}, EXAMPLE_PLACE).places).toMatchObject([
    { account: '111111111111', region: 'cn-north-1' },
    { account: '111111111111', region: 'cn-north-1' },
    { account: '111111111111', region: 'eu-west-1' },
  ]);
});
