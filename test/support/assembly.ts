import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { App, Stack } from 'aws-cdk-lib';

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
  const app = new App({ outdir, builtinCloudFormationValidation: false, analyticsReporting: false });
  fill(app);
  app.synth();
  return outdir;
}

/** The assembly of one stack named `Test`. */
export function assemblyOfStack(fill: (stack: Stack) => void): string {
  return assemblyOf(app => fill(new Stack(app, 'Test')));
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
