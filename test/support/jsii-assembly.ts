import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';

interface Docs {
  readonly summary?: string;
  readonly default?: string;
}

/** The type of a member. */
export interface TypeReference {
  readonly primitive?: string;
  readonly fqn?: string;
  readonly collection?: { readonly kind: 'array' | 'map'; readonly elementtype: TypeReference };
}

export interface Member {
  readonly name: string;
  readonly optional?: boolean;
  readonly overrides?: string;
  readonly docs?: Docs;
  readonly type?: TypeReference;
  readonly static?: boolean;
  readonly protected?: boolean;
  readonly parameters?: readonly Parameter[];
}

/** A parameter of a constructor or a method. */
export interface Parameter {
  readonly name: string;
  readonly optional?: boolean;
  readonly type: TypeReference;
}

interface Type {
  readonly fqn: string;
  readonly kind: 'class' | 'interface' | 'enum';
  readonly datatype?: boolean;
  readonly docs?: Docs;
  readonly interfaces?: readonly string[];
  readonly properties?: readonly Member[];
  readonly methods?: readonly Member[];
  readonly initializer?: { readonly parameters?: readonly Parameter[] };
}

export interface Assembly {
  readonly types: Readonly<Record<string, Type>>;
}

/** The jsii assembly of a built package. A large one is in a compressed file in the same folder. */
export function jsiiAssembly(packageFolder: string): Assembly {
  const { filename, schema, ...rest } = JSON.parse(readFileSync(path.join(packageFolder, '.jsii'), 'utf8'));
  if (schema !== 'jsii/file-redirect') return rest;
  return JSON.parse(gunzipSync(readFileSync(path.join(packageFolder, filename))).toString('utf8'));
}
