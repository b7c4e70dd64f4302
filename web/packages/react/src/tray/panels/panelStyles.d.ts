/** The style sheet of the panels, as it is shipped. scripts/panel-styles.mjs makes the module. */
export declare const panelStyles: string;
