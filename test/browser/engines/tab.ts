/** The engines whose browsers run the journeys. */
export type EngineName = 'Chromium' | 'Firefox' | 'WebKit'

export interface Size {
  readonly width: number
  readonly height: number
}

/** A browser with one tab. Each engine has its own protocol; a `Visitor` knows these verbs only. */
export interface Tab {
  readonly engine: EngineName
  /** Opens an address and waits until the page is loaded. */
  open(url: string): Promise<void>
  /** Goes back by one entry of the history, as the button of the browser does. */
  back(): Promise<void>
  /** Loads the page again, and confirms that a form is sent again where the browser asks. */
  reload(): Promise<void>
  /** Evaluates an expression in the page. Resolves with its value, which JSON can express. */
  evaluate(expression: string): Promise<unknown>
  /** Presses and releases the mouse at a point of the window. */
  clickAt(x: number, y: number): Promise<void>
  /** Presses and releases keys: single characters, or names such as `Tab`. */
  press(keys: readonly string[]): Promise<void>
  /** Gives the page this size in CSS pixels. */
  resize(size: Size): Promise<void>
  /** A PNG of the window, in Base64. */
  picture(): Promise<string>
  /** The frame of the page, which may be of another site. Points are those of the frame. */
  frame(): Promise<Pick<Tab, 'evaluate' | 'clickAt' | 'press'>>
  /** Removes all cookies. */
  forget(): Promise<void>
  /** Ends the browser. */
  close(): Promise<void>
}

/** Colours that the page is told to prefer. */
export type Look = 'light' | 'dark'
