import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type App, Duration, Stack } from 'aws-cdk-lib';
import { newApp } from './new-app';

const made: string[] = [];

/**
 * Synthesizes stacks like an app, to a folder of their own that is deleted after the test file.
 *
 * @param fill adds to the app
 * @returns the cloud assembly's folder
 */
export function assemblyOf(fill: (app: App) => void): string {
  const outdir = mkdtempSync(path.join(tmpdir(), 'dlo-assembly-'));
  made.push(outdir);
  const app = newApp({ outdir });
  fill(app);
  app.synth();
  return outdir;
}

/** The assembly of one stack named `Test`. */
export function assemblyOfStack(fill: (stack: Stack) => void): string {
  return assemblyOf(app => fill(new Stack(app, 'Test')));
}

const shared = new WeakMap<(stack: Stack) => void, string>();

/**
 * The assembly of one stack named `Test`, synthesized once for each function. The function must add the same to every
 * stack, and the caller must not change the assembly.
 */
export function sharedAssemblyOfStack(fill: (stack: Stack) => void): string {
  const assembly = shared.get(fill) ?? assemblyOfStack(fill);
  shared.set(fill, assembly);
  return assembly;
}

/**
 * Returns one and the same function for equal options, so that stacks with equal options share an assembly. Options are
 * compared only if they consist of plain values, durations and functions. A function equals only itself.
 */
export function withOptions<Options extends object>(
  fill: (stack: Stack, options: Options) => void,
): (options: Options) => (stack: Stack) => void {
  const byOptions = new Map<string, (stack: Stack) => void>();
  const functions: unknown[] = [];
  const numberOf = (it: unknown) => (functions.includes(it) ? functions.indexOf(it) : functions.push(it) - 1);
  return options => {
    const fillStack = (stack: Stack) => fill(stack, options);
    if (!isComparable(options)) return fillStack;
    // An option that is given as undefined overrides a default. JSON would leave it out.
    const key = JSON.stringify(options, (_, value) => {
      if (value === undefined) return 'undefined';
      return typeof value === 'function' ? `function ${numberOf(value)}` : value;
    });
    byOptions.set(key, byOptions.get(key) ?? fillStack);
    return byOptions.get(key) ?? fillStack;
  };
}

function isComparable(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || value instanceof Duration) return true;
  const isPlain = Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;
  return isPlain && Object.values(value).every(isComparable);
}

/**
 * The assembly of templates by the names of their stacks, each after those it depends on. It has no assets.
 *
 * @param environments of stacks that have their own, by name: `123456789012/eu-west-1`
 */
export function assemblyOfTemplates(
  templates: Readonly<Record<string, object>>,
  environments: Readonly<Record<string, string>> = {},
): string {
  const outdir = mkdtempSync(path.join(tmpdir(), 'dlo-templates-'));
  made.push(outdir);
  const artifacts = Object.entries(templates).map(([name, template], i, all) => {
    const templateFile = `${name}.template.json`;
    writeFileSync(path.join(outdir, templateFile), JSON.stringify(template));
    const dependencies = all.slice(0, i).map(([earlier]) => earlier);
    const own = environments[name];
    const environment = own === undefined ? {} : { environment: `aws://${own}` };
    return [name, { type: 'aws:cloudformation:stack', properties: { templateFile }, dependencies, ...environment }];
  });
  const manifest = { version: '38.0.0', artifacts: Object.fromEntries(artifacts) };
  writeFileSync(path.join(outdir, 'manifest.json'), JSON.stringify(manifest));
  return outdir;
}

/** The paths of all templates of an assembly. */
export function templateFiles(assembly: string): readonly string[] {
  const files = readdirSync(assembly).filter(file => file.endsWith('.template.json'));
  return files.map(file => path.join(assembly, file));
}

/** Changes a synthesized template, as an editor or another tool might. */
export function editTemplate(assembly: string, stack: string, edit: (template: Template) => void): void {
  const file = path.join(assembly, `${stack}.template.json`);
  const template = JSON.parse(readFileSync(file, 'utf8')) as Template;
  edit(template);
  writeFileSync(file, JSON.stringify(template));
}

export interface Template {
  readonly Resources: Record<string, { Type: string; Properties?: Record<string, unknown> }>;
}

afterAll(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true });
});
