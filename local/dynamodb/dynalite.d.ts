/** The rules of dynalite that are used here. The package has no types. */
declare module 'dynalite/db' {
  interface Failure extends Error {
    readonly body: { readonly __type: string; readonly message?: string; readonly Message?: string };
  }
  type Result = Failure | null | undefined;
  interface Keyed {
    readonly AttributeDefinitions: readonly object[];
    readonly KeySchema: readonly object[];
  }
  type Attributes = Readonly<Record<string, object>>;
  type Heads = Readonly<Record<string, true>>;

  export function validateItem(item: Attributes, table: Keyed): Result;
  export function validateKey(key: Attributes, table: Keyed, schema?: readonly object[]): Result;
  export function validateUpdates(legacy: undefined, updates: object | undefined, table: Keyed): Result;
  export function validateKeyPaths(nestedPaths: Heads | undefined, table: Keyed): Result;
  export function hashPrefix(value: string, type: string): string;
  export function toRangeStr(value: string, type: string): string;
  export function mapPaths<Item extends Attributes>(paths: readonly object[], item: Item): Item;
}

declare module 'dynalite/validations' {
  export function checkTypes(data: object, types: object): object;
  export function checkValidations(data: object, types: object, custom: object, store: object): void;
  export function validateAttributeValue(value: object): string | undefined;
  /** Parses the expressions of a request into members that begin with `_`. Returns what is wrong with them. */
  export function validateExpressions(data: object): string | undefined;
  export function convertKeyCondition(expression: object): object | string;
}

declare module 'dynalite/validations/*' {
  export const types: object;
  export const custom: object;
}
