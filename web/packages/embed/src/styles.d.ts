/** The tray's style sheet as text: put in by the build. */
declare module "pageside:tray.css" {
  const css: string;
  export default css;
}
