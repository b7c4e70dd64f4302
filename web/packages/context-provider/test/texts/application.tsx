/**
 * What the texts' examples use of the application around them, and what a test tells it to do. The
 * components stand for those of a component library.
 */
import type { ReactNode } from "react";
import { vi } from "vitest";

type Block = (props: { children?: ReactNode; [prop: string]: unknown }) => ReactNode;

const block: Block = ({ children }) => <div>{children}</div>;
const named =
  (name: string): Block =>
  ({ children }) => (
    <span>
      [{name}]{children}
    </span>
  );

export const EuiPanel: Block = ({ children, color }) => <div data-color={String(color)}>{children}</div>;
export const [EuiFlexGroup, EuiFlexItem, EuiText, EuiCode, Stepper, Step, StepLabel] = Array<Block>(7).fill(block) as [Block, Block, Block, Block, Block, Block, Block]; // prettier-ignore
export const EuiSpacer = named("spacer");
export const Spinner = named("spinner");
export const CheckIcon = named("check");
export const ErrorIcon = named("error");
export const XIcon = named("x");
export const WarningIcon = named("warning");
export const DatabaseIcon = named("database");
export const LoadingIcon = named("loading");
export const CheckCircle = named("circle");
export const ProgressBar: Block = ({ value }) => <span>[{String(value)}]</span>;

export interface Row {
  id: string;
  name: string;
}

export interface PPLExecuteQueryArgs {
  query: string;
  autoExecute?: boolean;
  description?: string;
}

/** The functions of the application: each test says what they do. */
export const app = {
  refreshData: vi.fn(async () => {}),
  dispatch: vi.fn((_: unknown) => {}),
  loadQueryActionCreator: (_services: object, setText: (query: string) => void, query: string) => {
    setText(query);
    return { load: query };
  },
  services: {},
  setEditorTextWithQuery: vi.fn((_: string) => {}),
  showConfirmDialog: vi.fn((_: { message: string; severity?: string }) => Promise.resolve(true)),
  searchWeb: vi.fn(async (_: string): Promise<{ title: string }[]> => []),
  startDeployment: vi.fn(async (_environment: string, _version: string) => "d-1"),
  confirm: vi.fn(async (_: { title: string; content: string }) => true),
  fetchDataSources: vi.fn(async (types: string[]) => types.map((type) => ({ name: `my-${type}`, type }))),
  showSelectionDialog: vi.fn(async (sources: { name: string; type: string }[]) => sources[0]),
  deployToEnvironment: vi.fn(async (_environment: string, _version: string) => {}),
  performRiskyOperation: vi.fn(async (_: unknown): Promise<unknown> => ({})),
  executeQuery: vi.fn(async (query: string, dataSource: string) => `${query} on ${dataSource}`),
};

export const Modal = { confirm: app.confirm };
export const {
  refreshData,
  dispatch,
  loadQueryActionCreator,
  services,
  setEditorTextWithQuery,
  showConfirmDialog,
  searchWeb,
  startDeployment,
  fetchDataSources,
  showSelectionDialog,
  deployToEnvironment,
  performRiskyOperation,
  executeQuery,
} = app;
